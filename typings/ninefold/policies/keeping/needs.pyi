from policies.keeping.needs import *
