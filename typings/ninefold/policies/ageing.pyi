from policies.ageing import *
