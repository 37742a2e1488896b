from adapters.postgres.database import *
