from app.explaining import *
