from adapters.lexical.terms import *
