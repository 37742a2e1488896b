from app.middleware.history import *
