from graph.between_turns import *
