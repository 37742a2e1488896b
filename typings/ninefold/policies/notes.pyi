from policies.notes import *
