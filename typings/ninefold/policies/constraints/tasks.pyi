from policies.constraints.tasks import *
