from adapters.memory.elastic_rows import *
