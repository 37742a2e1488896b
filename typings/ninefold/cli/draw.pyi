from app.cli.draw import *
