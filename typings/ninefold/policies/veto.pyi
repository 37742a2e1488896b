from policies.veto import *
