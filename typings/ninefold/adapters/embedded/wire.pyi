from adapters.embedded.wire import *
