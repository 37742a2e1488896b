from policies.compaction.addresses import *
