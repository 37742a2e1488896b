from app.cli.options import *
