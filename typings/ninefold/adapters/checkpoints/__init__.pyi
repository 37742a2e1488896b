from adapters.checkpoints import *
