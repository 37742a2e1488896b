from graph.named_errors import *
