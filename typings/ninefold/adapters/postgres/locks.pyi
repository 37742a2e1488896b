from adapters.postgres.locks import *
