from adapters.weights.pull import *
