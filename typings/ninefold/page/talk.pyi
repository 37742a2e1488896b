from app.page.talk import *
