from policies.explaining.evidence import *
