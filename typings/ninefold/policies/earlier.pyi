from policies.earlier import *
