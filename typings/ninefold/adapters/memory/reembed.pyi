from adapters.memory.reembed import *
