from adapters.archive.forgetting import *
