from graph.build import *
