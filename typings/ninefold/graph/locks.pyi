from graph.locks import *
