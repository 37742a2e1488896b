"""Finding texts by the words they share with a question: Chinese and English alike, in memory, one text at a time."""

from .index import Floats, LexicalIndex
from .terms import terms

__all__ = ["Floats", "LexicalIndex", "terms"]
