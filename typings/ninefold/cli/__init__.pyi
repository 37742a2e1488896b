from app.cli import *
