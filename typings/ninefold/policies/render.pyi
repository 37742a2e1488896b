from policies.render import *
