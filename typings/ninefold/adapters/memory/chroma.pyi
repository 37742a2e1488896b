from adapters.memory.chroma import *
