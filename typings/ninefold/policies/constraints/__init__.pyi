from policies.constraints import *
