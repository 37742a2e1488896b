from graph.parts import *
