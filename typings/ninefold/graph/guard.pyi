from graph.guard import *
