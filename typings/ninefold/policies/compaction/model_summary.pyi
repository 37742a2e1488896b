from policies.compaction.model_summary import *
