from adapters.models.replies import *
