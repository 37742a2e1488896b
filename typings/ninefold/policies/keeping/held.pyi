from policies.keeping.held import *
