from policies.compaction.reference import *
