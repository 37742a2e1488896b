from nodes.intent_check import *
