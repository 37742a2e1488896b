from policies.compaction.folding import *
