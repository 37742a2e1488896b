from policies.compaction.summary import *
