from nodes.recall_bounds import *
