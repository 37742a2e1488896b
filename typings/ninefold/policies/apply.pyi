from policies.apply import *
