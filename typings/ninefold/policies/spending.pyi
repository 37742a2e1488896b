from policies.spending import *
