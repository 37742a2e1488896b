from app.page.telling.compactions import *
