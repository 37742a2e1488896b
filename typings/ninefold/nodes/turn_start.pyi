from nodes.turn_start import *
