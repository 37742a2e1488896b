from nodes.internal_calls import *
