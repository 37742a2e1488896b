from adapters.embedded.server import *
