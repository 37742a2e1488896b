from app.ledger import *
