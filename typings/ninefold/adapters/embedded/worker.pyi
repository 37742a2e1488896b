from adapters.embedded.worker import *
