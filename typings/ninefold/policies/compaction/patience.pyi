from policies.compaction.patience import *
