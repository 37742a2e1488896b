from adapters.embedded.chat import *
