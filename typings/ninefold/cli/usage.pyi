from app.cli.usage import *
