from app.console.plain import *
