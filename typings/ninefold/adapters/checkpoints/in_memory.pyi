from adapters.checkpoints.in_memory import *
