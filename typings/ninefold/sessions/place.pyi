from app.sessions.place import *
