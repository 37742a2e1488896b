from adapters.encryption import *
