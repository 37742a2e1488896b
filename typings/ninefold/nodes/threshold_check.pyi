from nodes.threshold_check import *
