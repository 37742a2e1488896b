from policies.references import *
