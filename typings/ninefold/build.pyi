from app.build import *
