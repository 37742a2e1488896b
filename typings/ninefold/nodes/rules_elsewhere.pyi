from nodes.rules_elsewhere import *
