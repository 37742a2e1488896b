from nodes.tool_call import *
