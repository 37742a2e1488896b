from adapters.models.errors import *
