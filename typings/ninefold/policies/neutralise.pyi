from policies.neutralise import *
