from app import *
