from policies.proof.held import *
