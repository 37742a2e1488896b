from graph.identity import *
