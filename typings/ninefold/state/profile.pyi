from state.profile import *
