from app.console.idle import *
