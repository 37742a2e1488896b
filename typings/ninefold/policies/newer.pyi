from policies.newer import *
