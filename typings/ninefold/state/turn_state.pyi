from state.turn_state import *
