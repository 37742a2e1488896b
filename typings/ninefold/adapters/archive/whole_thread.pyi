from adapters.archive.whole_thread import *
