from adapters.models.thinking import *
