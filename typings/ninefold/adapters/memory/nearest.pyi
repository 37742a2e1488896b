from adapters.memory.nearest import *
