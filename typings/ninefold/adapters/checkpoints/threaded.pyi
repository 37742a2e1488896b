from adapters.checkpoints.threaded import *
