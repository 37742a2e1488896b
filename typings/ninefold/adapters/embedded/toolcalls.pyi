from adapters.embedded.toolcalls import *
