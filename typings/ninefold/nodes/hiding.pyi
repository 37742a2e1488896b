from nodes.hiding import *
