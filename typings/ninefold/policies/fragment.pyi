from policies.fragment import *
