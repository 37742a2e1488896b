from graph.window_archive import *
