from app.first_start import *
