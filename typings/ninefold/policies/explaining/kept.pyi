from policies.explaining.kept import *
