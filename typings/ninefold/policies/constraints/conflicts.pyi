from policies.constraints.conflicts import *
