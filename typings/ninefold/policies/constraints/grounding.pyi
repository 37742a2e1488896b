from policies.constraints.grounding import *
