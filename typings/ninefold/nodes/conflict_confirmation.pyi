from nodes.conflict_confirmation import *
