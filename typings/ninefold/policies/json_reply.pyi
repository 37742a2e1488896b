from policies.json_reply import *
