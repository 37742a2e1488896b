from policies.standing import *
