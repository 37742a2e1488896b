from app.sessions.returning import *
