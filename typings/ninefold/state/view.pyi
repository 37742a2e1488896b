from state.view import *
