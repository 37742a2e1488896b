from adapters.checkpoints.sqlite import *
