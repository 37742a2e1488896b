from policies.explaining.prompt import *
