from policies.constraints.keys import *
