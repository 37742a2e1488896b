from adapters.checkpoints.lineage import *
