from adapters.tokens.template import *
