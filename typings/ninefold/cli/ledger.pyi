from app.cli.ledger import *
