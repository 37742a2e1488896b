from policies.constraints.likeness import *
