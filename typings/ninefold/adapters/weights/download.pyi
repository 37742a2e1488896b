from adapters.weights.download import *
