from app.sessions.incoming import *
