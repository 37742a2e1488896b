"""What remains in the prompt of the turns that left the window."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated

from pydantic import Field

from .base import Identifier, Value


class StepStatus(StrEnum):
    """Whether an order has been carried out; a finished one is never an order again."""

    PENDING = "pending"
    DONE = "done"


class Item(Value):
    """One grounded statement of the summary, with the messages it stands on."""

    text: Annotated[str, Field(min_length=1, max_length=1000)]
    sources: tuple[Identifier, ...] = ()
    status: StepStatus | None = None
    """Only for next steps."""
    reference: Identifier | None = None
    """The id under which what it was copied from can be expanded."""


MAX_REFERENCES = 16
"""References that a summary names; older messages are found by searching the archive."""


class Summary(Value):
    """Four fields; preferences are references to memories or constraints, never their text."""

    decisions: tuple[Item, ...] = ()
    preferences: tuple[Identifier, ...] = ()
    next_steps: tuple[Item, ...] = ()
    other_facts: tuple[Item, ...] = ()
    references: Annotated[tuple[Identifier, ...], Field(max_length=MAX_REFERENCES)] = ()
    """Archived messages whose details the summary has no room for, newest last; each can be expanded."""
    covers: Identifier | None = None
    """The newest turn it covers."""

    @property
    def items(self) -> tuple[Item, ...]:
        """Every statement, in the order of the fields."""
        return self.decisions + self.next_steps + self.other_facts

    @property
    def empty(self) -> bool:
        """True when it says nothing."""
        return not (self.items or self.preferences or self.references)
