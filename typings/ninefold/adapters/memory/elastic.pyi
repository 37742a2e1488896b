from adapters.memory.elastic import *
