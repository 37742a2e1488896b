"""The proofs by code: the prompt about to be sent, and every compaction before it becomes state.

A proof names what is missing. It never asks a model, and no model's yes overrules it.
"""

from .compaction_proof import Faults, refuted
from .pairing import unpaired
from .repair import repaired
from .view_proof import unproven, unread

__all__ = [
    "Faults",
    "refuted",
    "repaired",
    "unpaired",
    "unproven",
    "unread",
]
