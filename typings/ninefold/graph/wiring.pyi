from graph.wiring import *
