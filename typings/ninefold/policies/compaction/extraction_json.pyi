from policies.compaction.extraction_json import *
