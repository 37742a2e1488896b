from adapters.postgres import *
