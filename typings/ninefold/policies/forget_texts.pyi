from policies.forget_texts import *
