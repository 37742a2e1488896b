from adapters.weights.catalogue import *
