from policies.clipping import *
