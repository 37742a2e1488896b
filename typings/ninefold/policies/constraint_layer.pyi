from policies.constraint_layer import *
