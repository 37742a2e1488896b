from policies.value_patterns import *
