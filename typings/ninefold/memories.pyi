from app.memories import *
