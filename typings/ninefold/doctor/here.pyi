from app.doctor.here import *
