from policies.constraints.extraction import *
