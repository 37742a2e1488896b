from policies.fusion import *
