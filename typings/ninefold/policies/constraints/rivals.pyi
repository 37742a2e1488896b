from policies.constraints.rivals import *
