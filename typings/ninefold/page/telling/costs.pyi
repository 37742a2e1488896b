from app.page.telling.costs import *
