from policies.subject import *
