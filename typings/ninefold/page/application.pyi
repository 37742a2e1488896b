from app.page.application import *
