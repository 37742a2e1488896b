from adapters.tokens.encoding import *
