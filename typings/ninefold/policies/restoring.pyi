from policies.restoring import *
