from graph.forgetting import *
