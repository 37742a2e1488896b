from policies.remembering import *
