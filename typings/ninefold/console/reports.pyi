from app.console.reports import *
