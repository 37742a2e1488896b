from policies.keeping import *
