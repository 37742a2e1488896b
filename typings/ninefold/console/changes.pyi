from app.console.changes import *
