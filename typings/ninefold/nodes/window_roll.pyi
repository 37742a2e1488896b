from nodes.window_roll import *
