from app.reading import *
