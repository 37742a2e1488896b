from policies.constraints.hearing import *
