from nodes import *
