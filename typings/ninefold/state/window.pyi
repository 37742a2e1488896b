from state.window import *
