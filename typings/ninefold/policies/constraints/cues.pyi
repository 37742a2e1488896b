from policies.constraints.cues import *
