from app.cli.serve import *
