from policies.window import *
