from app.translation import *
