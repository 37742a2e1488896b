from graph.calls import *
