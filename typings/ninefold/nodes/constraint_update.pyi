from nodes.constraint_update import *
