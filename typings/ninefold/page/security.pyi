from app.page.security import *
