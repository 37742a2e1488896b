from policies.recall import *
