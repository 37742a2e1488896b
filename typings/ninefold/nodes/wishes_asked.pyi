from nodes.wishes_asked import *
