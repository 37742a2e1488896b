from policies.write_judge import *
