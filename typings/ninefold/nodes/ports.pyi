from nodes.ports import *
