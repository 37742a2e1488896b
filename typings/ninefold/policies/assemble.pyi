from policies.assemble import *
