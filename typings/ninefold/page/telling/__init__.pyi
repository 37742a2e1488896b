from app.page.telling import *
