from adapters.memory.words import *
