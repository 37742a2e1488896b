from app.own_policies import *
