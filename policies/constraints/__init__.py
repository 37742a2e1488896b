"""From what a person writes to the constraints that hold: gate, extraction, grounding, merging, conflicts."""

from .bounds import Taken, take
from .candidates import Candidate, polarity_of
from .conflicts import answer_of, answers_of, decided, question
from .extraction import Extraction, extract
from .gate import may_hold, wants_model
from .grounding import REPLY_SCHEMA, grounded
from .halves import is_permission, lifted_from
from .joints import jointed
from .merging import Merged, Source, constraint_of, ended_with, expired, identify, merge, taken_back
from .preferences import SUBJECT, from_preferences, in_force, is_rule, rule
from .rivals import restates, values_claimed
from .tasks import is_other

__all__ = [
    "REPLY_SCHEMA",
    "SUBJECT",
    "Candidate",
    "Extraction",
    "Merged",
    "Source",
    "Taken",
    "answer_of",
    "answers_of",
    "constraint_of",
    "decided",
    "ended_with",
    "expired",
    "extract",
    "from_preferences",
    "grounded",
    "identify",
    "in_force",
    "is_other",
    "is_permission",
    "is_rule",
    "jointed",
    "lifted_from",
    "may_hold",
    "merge",
    "polarity_of",
    "question",
    "restates",
    "rule",
    "take",
    "taken_back",
    "values_claimed",
    "wants_model",
]
