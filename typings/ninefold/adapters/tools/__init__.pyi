from adapters.tools import *
