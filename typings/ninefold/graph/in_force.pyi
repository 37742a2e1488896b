from graph.in_force import *
