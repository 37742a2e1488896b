from adapters.memory.vectors import *
