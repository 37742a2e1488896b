from app.page.server import *
