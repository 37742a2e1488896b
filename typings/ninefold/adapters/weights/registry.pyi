from adapters.weights.registry import *
