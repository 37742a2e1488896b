from policies.thinking import *
