from policies.dates import *
