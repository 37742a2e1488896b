from adapters.postgres.saver import *
