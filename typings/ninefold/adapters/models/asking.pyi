from adapters.models.asking import *
