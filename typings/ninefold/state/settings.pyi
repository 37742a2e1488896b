from state.settings import *
