from app.home import *
