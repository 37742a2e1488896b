from app.middleware.keeping import *
