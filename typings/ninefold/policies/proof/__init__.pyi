from policies.proof import *
