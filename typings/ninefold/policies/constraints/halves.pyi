from policies.constraints.halves import *
