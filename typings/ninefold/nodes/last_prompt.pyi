from nodes.last_prompt import *
