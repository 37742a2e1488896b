from adapters.memory.in_memory import *
