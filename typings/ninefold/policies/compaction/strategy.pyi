from policies.compaction.strategy import *
