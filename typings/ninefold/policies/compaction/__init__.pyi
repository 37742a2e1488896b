from policies.compaction import *
