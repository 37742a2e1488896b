from policies.compaction.extraction import *
