from adapters.postgres.store import *
