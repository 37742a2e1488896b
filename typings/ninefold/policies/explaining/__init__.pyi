from policies.explaining import *
