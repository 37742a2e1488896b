from adapters.memory import *
