from graph.deferring import *
