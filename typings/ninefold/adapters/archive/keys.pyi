from adapters.archive.keys import *
