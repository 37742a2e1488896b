from policies.constraints.candidates import *
