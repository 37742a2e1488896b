"""How the turn guard works; every part can be exchanged."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime

from langchain_core.utils.uuid import uuid7

from ninefold.state import Stamp

from .deferring import Deferred
from .identity import DEFAULT_USER, Identity
from .locks import LockFactory, no_outer_lock
from .migrations import Schema
from .parts import Parts


def now() -> datetime:
    """Give the time with the machine's own offset."""
    return datetime.now(UTC).astimezone()


def new_turn_id() -> str:
    """Give a new turn id; later ones sort later."""
    return uuid7().hex


@dataclass(frozen=True)
class Guard:
    """The settings of a TurnGraph, carried by every copy of it."""

    locks: LockFactory = no_outer_lock
    """The lock outside this process; inside it a turn always waits for its thread."""
    lock_timeout: float = 60
    """Seconds that a call waits for a thread."""
    recursion_limit: int = 200
    """Steps of one turn, unless the caller sets another limit."""
    history_turns: int = 200
    clock: Callable[[], datetime] = now
    turn_id: Callable[[], str] = new_turn_id
    default_user: str | None = DEFAULT_USER
    """The user of a call that names none; None for a store that many people share."""
    served: bool = False
    """Whether a server that signs people in brings the storage, and reads states on its own behalf."""
    schema: Schema = field(default_factory=Schema)
    deferred: Deferred = field(default_factory=Deferred)
    """The checkpoints that are not written while their turn goes on."""
    parts: Parts | None = None
    """What the steps work with, for what is done between two turns."""

    def stamp(self, identity: Identity) -> Stamp:
        """Give the stamp of a new turn."""
        turn = identity.turn or self.turn_id()
        at = self.clock()
        at = at if at.tzinfo else at.astimezone()
        return Stamp(turn_id=turn, at=at.isoformat(), user=identity.user, thread=identity.thread)
