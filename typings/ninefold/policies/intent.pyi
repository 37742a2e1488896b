from policies.intent import *
