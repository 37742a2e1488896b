from policies.memory_merge import *
