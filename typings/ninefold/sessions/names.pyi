from app.sessions.names import *
