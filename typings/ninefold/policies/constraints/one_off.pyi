from policies.constraints.one_off import *
