from policies.memory_ids import *
