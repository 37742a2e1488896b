from app.cli.sessions import *
