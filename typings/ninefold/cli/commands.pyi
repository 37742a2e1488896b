from app.cli.commands import *
