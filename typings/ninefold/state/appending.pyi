from state.appending import *
