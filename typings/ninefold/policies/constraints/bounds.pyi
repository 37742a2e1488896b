from policies.constraints.bounds import *
