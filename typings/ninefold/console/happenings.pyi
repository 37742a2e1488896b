from app.console.happenings import *
