from policies.keeping.kept import *
