from app.cli.explain import *
