from policies.keeping.cues import *
