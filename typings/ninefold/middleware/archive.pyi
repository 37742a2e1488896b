from app.middleware.archive import *
