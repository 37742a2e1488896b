from policies.bounded import *
