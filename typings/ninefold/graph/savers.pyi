from graph.savers import *
