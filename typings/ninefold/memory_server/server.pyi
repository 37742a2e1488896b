from app.memory_server.server import *
