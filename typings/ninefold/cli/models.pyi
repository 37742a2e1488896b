from app.cli.models import *
