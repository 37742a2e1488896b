from adapters.tokens.tool_block import *
