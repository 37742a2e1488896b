from app.cli.doctor import *
