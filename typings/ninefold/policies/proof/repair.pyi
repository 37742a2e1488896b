from policies.proof.repair import *
