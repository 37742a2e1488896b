from adapters.embedded.make import *
