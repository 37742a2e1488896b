from app.cli.version import *
