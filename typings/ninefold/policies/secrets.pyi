from policies.secrets import *
