from app.middleware.call import *
