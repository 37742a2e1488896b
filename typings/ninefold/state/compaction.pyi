from state.compaction import *
