from policies.left_view import *
