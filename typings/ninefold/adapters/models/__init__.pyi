from adapters.models import *
