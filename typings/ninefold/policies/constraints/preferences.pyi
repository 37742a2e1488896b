from policies.constraints.preferences import *
