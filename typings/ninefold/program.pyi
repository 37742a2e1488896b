from app.program import *
