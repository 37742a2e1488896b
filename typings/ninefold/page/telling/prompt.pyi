from app.page.telling.prompt import *
