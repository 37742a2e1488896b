from graph.pruning import *
