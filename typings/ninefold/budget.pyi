from app.budget import *
