from app.kept_turns import *
