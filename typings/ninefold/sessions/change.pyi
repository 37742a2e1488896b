from app.sessions.change import *
