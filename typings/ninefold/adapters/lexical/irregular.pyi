from adapters.lexical.irregular import *
