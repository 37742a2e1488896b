from adapters.tokens import *
