from graph.tools import *
