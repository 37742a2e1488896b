from state.turn import *
