from policies.notices import *
