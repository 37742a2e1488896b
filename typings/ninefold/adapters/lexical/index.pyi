from adapters.lexical.index import *
