from adapters.tokens.served import *
