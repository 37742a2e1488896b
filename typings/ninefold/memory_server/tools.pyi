from app.memory_server.tools import *
