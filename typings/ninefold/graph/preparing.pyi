from graph.preparing import *
