from adapters.models.calls import *
