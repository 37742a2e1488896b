from policies.compaction.copied import *
