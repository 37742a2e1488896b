from nodes.model_call import *
