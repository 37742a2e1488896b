from app.sessions import *
