from app.console.notes import *
