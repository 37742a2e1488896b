from app.page import *
