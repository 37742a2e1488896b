from nodes.memory_write import *
