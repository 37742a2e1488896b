from policies.forgetting import *
