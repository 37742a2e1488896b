from state.summary import *
