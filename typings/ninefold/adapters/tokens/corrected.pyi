from adapters.tokens.corrected import *
