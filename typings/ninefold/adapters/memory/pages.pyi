from adapters.memory.pages import *
