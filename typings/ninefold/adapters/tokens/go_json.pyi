from adapters.tokens.go_json import *
