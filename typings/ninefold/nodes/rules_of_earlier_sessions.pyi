from nodes.rules_of_earlier_sessions import *
