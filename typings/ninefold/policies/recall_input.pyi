from policies.recall_input import *
