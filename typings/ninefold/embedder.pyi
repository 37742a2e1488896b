from app.embedder import *
