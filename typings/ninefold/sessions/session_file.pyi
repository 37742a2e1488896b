from app.sessions.session_file import *
