from app.middleware.context_assembly import *
