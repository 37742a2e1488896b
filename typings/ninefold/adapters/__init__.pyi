from adapters import *
