from app.doctor.finding import *
