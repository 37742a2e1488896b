from app.wording import *
