from app.page.sessions import *
