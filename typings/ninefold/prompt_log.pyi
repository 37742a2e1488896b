from app.prompt_log import *
