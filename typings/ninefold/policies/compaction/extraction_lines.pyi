from policies.compaction.extraction_lines import *
