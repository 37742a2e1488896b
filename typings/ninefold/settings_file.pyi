from app.settings_file import *
