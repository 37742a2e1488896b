from adapters.archive.thread_archive import *
