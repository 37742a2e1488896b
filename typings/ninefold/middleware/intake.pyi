from app.middleware.intake import *
