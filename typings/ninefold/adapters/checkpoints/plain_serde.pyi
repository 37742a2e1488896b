from adapters.checkpoints.plain_serde import *
