from graph.plan import *
