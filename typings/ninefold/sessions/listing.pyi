from app.sessions.listing import *
