from adapters.tokens.choose import *
