from app.page.runs import *
