from app.cli.memory import *
