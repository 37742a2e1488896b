from policies.compaction.extraction_html import *
