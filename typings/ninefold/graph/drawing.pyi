from graph.drawing import *
