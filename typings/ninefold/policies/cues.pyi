from policies.cues import *
