from policies.summary_layer import *
