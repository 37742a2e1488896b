from state.constraint import *
