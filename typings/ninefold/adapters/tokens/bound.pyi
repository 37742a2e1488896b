from adapters.tokens.bound import *
