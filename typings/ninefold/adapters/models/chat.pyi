from adapters.models.chat import *
