from adapters.memory.collection import *
