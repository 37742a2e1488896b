from adapters.memory.past import *
