from app.doctor import *
