from nodes.forgetting import *
