from policies.simplified import *
