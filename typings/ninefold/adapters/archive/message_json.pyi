from adapters.archive.message_json import *
