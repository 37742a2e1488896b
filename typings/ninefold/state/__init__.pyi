from state import *
