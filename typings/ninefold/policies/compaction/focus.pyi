from policies.compaction.focus import *
