from policies.forget_request import *
