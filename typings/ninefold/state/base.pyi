from state.base import *
