from app.middleware import *
