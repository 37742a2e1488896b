from graph.routes import *
