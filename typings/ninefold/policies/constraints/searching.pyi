from policies.constraints.searching import *
