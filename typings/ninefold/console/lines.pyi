from app.console.lines import *
