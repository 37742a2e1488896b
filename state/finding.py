"""Why something a person looks for is, or is not, in a prompt."""

from __future__ import annotations

from enum import StrEnum

from .base import Count, Identifier, ShortText, Value
from .constraint import ChangeKind
from .view import LayerName


class Cause(StrEnum):
    """What became of the words."""

    IN_PROMPT = "in_prompt"
    CONTRADICTED = "contradicted"
    CLIPPED = "clipped"
    CONSTRAINT_ENDED = "constraint_ended"
    SUPERSEDED = "superseded"
    BELOW_THRESHOLD = "below_threshold"
    BEYOND_TOP_K = "beyond_top_k"
    DUPLICATE = "duplicate"
    OVER_BUDGET = "over_budget"
    FADED = "faded"
    NOT_SEARCHED = "not_searched"
    NOT_FOUND = "not_found"
    COMPACTED = "compacted"
    LEFT_WINDOW = "left_window"
    NOT_STORED = "not_stored"
    NEVER_SAID = "never_said"


class Finding(Value):
    """One place where the words were found, or one reason why they are not in the prompt."""

    cause: Cause
    text: ShortText = ""
    """The sentence that was found, as it was said."""
    turn: Count | None = None
    """The number of the turn in which it was said, or in which the cause came to be."""
    said: Count | None = None
    """The number of the turn in which it was said, where `turn` is another."""
    layer: LayerName | None = None
    position: Count | None = None
    """The layer's place in the prompt, from 1."""
    tokens: Count | None = None
    """Of the layer."""
    by: ShortText = ""
    """The words that replaced, contradict or double it."""
    change: ChangeKind | None = None
    """What ended a constraint."""
    score: float | None = None
    minimum: float | None = None
    """The embedder's threshold, for a score below it."""
    strategy: str = ""
    """What compacted it, and what the proof said, as the trace has it."""
    proven: bool | None = None
    reference: Identifier | None = None
    """The id under which the original can be expanded."""
    reason: ShortText = ""
