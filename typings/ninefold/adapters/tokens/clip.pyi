from adapters.tokens.clip import *
