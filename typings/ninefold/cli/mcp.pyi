from app.cli.mcp import *
