from graph.ending import *
