from policies.compaction.chronicle import *
