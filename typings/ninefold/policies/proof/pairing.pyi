from policies.proof.pairing import *
