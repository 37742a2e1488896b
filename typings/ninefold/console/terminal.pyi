from app.console.terminal import *
