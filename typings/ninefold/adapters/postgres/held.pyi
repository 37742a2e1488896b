from adapters.postgres.held import *
