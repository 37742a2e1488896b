from graph.changes import *
