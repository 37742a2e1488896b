from state.trace import *
