"""How the window is made smaller: strategies from mild to strong, each a proposal that a proof may refuse.

A strategy changes nothing. It proposes, `fidelity_check` proves or strikes it out, and only a proven proposal becomes
state. Every shortened text is made from the original in the archive, so nothing is compacted twice, and what leaves
stays reachable by reference.
"""

from .extraction import Extraction, extract
from .extraction_json import Extracted
from .folding import Folding
from .reference import Reference
from .strategy import Completion, Counter, Originals, Strategy
from .summary import Summarise, prepare

STRATEGIES: tuple[Strategy, ...] = (Reference(), Extraction(), Folding(), Summarise())
"""The built-in strategies, mildest first."""

__all__ = [
    "STRATEGIES",
    "Completion",
    "Counter",
    "Extracted",
    "Extraction",
    "Folding",
    "Originals",
    "Reference",
    "Strategy",
    "Summarise",
    "extract",
    "prepare",
]
