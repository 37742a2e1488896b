from policies.explaining.said import *
