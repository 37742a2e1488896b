from app.console.stream import *
