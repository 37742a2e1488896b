from app.page.telling.session import *
