from app.page.served import *
