from policies.pinning import *
