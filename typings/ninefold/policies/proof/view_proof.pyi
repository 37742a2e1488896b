from policies.proof.view_proof import *
