from app.cli.beginning import *
