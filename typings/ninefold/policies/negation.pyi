from policies.negation import *
