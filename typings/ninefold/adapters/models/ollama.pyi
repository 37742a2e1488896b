from adapters.models.ollama import *
