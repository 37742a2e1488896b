from app.doctor.ollama import *
