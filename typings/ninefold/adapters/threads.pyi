from adapters.threads import *
