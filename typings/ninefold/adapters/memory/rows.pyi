from adapters.memory.rows import *
