"""What happens while a turn runs, in a form that imports nothing heavy."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from langchain_core.messages import AIMessage

    from ninefold.state import Outcome


@dataclass(frozen=True)
class Written:
    """More text of the reply."""

    message: str
    """The id of the message that it belongs to."""
    text: str


@dataclass(frozen=True)
class Told:
    """An event of a step, as the trace will hold it."""

    event: Mapping[str, Any]


@dataclass(frozen=True)
class Asked:
    """The turn waits for the person's decision about conflicts; each has `id`, `old` and `new`."""

    conflicts: tuple[Mapping[str, Any], ...]


@dataclass(frozen=True)
class Ended:
    """The turn is over."""

    reply: AIMessage | None
    outcome: Outcome | None
    forgotten: tuple[str, ...] = ()
    """What was forgotten with it: whatever held one of these texts is gone."""


Happening = Written | Told | Asked | Ended
