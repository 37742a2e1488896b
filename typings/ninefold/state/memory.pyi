from state.memory import *
