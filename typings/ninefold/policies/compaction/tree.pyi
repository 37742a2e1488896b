from policies.compaction.tree import *
