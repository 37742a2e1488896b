from adapters.archive.sqlite_store import *
