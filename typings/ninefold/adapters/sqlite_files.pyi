from adapters.sqlite_files import *
