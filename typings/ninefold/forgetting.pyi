from app.forgetting import *
