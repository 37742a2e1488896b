from nodes.fidelity_check import *
