from policies.proof.compaction_proof import *
