from graph.migrations import *
