from app.correcting import *
