from app.memory_server import *
