from policies import *
