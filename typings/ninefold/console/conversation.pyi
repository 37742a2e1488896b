from app.console.conversation import *
