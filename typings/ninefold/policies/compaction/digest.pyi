from policies.compaction.digest import *
