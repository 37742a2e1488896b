from adapters.memory.connection import *
