from graph import *
