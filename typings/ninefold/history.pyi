from app.history import *
