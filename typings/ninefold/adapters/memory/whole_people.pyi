from adapters.memory.whole_people import *
