from policies.constraints.gate import *
