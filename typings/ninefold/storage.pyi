from app.storage import *
