from policies.value_signs import *
