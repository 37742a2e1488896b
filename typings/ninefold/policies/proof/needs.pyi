from policies.proof.needs import *
