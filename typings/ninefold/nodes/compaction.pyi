from nodes.compaction import *
