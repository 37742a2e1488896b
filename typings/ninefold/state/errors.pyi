from state.errors import *
