from graph.guard_settings import *
