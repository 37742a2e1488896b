from policies.text import *
