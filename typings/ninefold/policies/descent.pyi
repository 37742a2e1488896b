from policies.descent import *
