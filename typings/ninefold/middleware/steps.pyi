from app.middleware.steps import *
