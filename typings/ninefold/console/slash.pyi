from app.console.slash import *
