from policies.proof.kept import *
