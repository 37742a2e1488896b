from policies.constraints.merging import *
