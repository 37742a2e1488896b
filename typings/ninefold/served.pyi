from app.served import *
