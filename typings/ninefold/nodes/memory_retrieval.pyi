from nodes.memory_retrieval import *
