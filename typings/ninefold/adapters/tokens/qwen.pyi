from adapters.tokens.qwen import *
