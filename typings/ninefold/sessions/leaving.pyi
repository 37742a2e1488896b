from app.sessions.leaving import *
