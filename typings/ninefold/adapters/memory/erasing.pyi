from adapters.memory.erasing import *
