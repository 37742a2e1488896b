from policies.values import *
