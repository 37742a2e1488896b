from state.finding import *
