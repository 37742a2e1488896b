from graph.stored import *
