from app.page.requests import *
