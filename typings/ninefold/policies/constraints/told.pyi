from policies.constraints.told import *
