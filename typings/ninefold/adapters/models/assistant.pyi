from adapters.models.assistant import *
