from app.page.changes import *
