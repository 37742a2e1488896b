from policies.compaction.cues import *
