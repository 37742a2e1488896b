"""A compaction before it is proven, and what its proof found."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated

from pydantic import Field

from .base import Count, Identifier, ShortText, Value
from .summary import Summary


class StrategyName(StrEnum):
    """The built-in strategies, mildest first."""

    REFERENCE = "reference"
    EXTRACTION = "extraction"
    FOLDING = "folding"
    SUMMARY = "summary"


class Replacement(Value):
    """A shorter text for one message of the window; the original stays in the archive under the reference."""

    message: Identifier
    text: str
    reference: Identifier
    dropped: Annotated[tuple[str, ...], Field(max_length=64)] = ()
    """Paths of a structured result that the text no longer holds; each is reachable by the reference."""
    tokens: Count | None = None
    """What the message adds to a rendered prompt from then on; None leaves the count as it was."""


MAX_BY_REFERENCE = 256
"""Spans that one proposal names as standing behind a reference; with more it is told how many."""


class Missing(Value):
    """A span that a proof looked for and did not find."""

    kind: str
    """negation, number, date, identifier, path, url, version, quotation, name, constraint, call or budget."""
    span: ShortText
    source: Identifier | None = None


class Proposal(Value):
    """What one strategy would change; it becomes state only in fidelity_check."""

    strategy: str
    span: tuple[Identifier, ...]
    """The messages it touches."""
    replacements: tuple[Replacement, ...] = ()
    removed: tuple[Identifier, ...] = ()
    """Messages that leave the window for the archive."""
    summary: Summary | None = None
    freed: Count = 0
    """Tokens it is expected to free."""
    by_reference: Annotated[tuple[Missing, ...], Field(max_length=MAX_BY_REFERENCE)] = ()
    """Exact values that from then on stand behind a reference only; said, never silent."""
    repaired: bool = False
    """True once a proof has put missing spans back; it is repaired once."""
    reason: ShortText = ""
    """What it could not do as asked, for the trace."""


class Struck(Value):
    """A strategy that may not be tried again in this turn on this span."""

    strategy: str
    span: tuple[Identifier, ...]


class Verdict(Value):
    """What the proof of a view, and of the proposals in it, found."""

    proven: bool
    strategy: str | None = None
    """The strategy that the missing spans refute."""
    missing: Annotated[tuple[Missing, ...], Field(max_length=32)] = ()
    reason: ShortText = ""
