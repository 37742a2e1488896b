from policies.constraints.joints import *
