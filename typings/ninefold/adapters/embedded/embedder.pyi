from adapters.embedded.embedder import *
