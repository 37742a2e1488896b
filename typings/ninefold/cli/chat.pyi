from app.cli.chat import *
