from adapters.embedded import *
