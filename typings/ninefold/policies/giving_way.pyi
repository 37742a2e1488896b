from policies.giving_way import *
