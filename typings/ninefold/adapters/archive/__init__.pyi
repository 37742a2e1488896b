from adapters.archive import *
