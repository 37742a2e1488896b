from nodes.assembly import *
