from adapters.lexical import *
