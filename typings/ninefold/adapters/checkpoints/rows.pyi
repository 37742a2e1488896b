from adapters.checkpoints.rows import *
