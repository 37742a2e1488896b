from app.console import *
