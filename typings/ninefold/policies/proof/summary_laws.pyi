from policies.proof.summary_laws import *
