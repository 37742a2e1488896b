"""The proofs by code: the prompt about to be sent, and every compaction before it becomes state.

A proof names what is missing. It never asks a model, and no model's yes overrules it.
"""

from .compaction_proof import Faults, refuted
from .held import Held
from .kept import Kept, kept_in
from .needs import Need, lost, needs
from .pairing import unpaired
from .repair import repaired
from .view_proof import unproven, unread

__all__ = [
    "Faults",
    "Held",
    "Kept",
    "Need",
    "kept_in",
    "lost",
    "needs",
    "refuted",
    "repaired",
    "unpaired",
    "unproven",
    "unread",
]
