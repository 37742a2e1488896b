"""Whose turn it is: thread, person, turn and checkpoint, checked before anything is read."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, cast

from langchain_core.runnables import RunnableConfig

from ninefold.adapters.checkpoints.lineage import AT, TURN, USER
from ninefold.state import IdentityError, Stamp

LONGEST = 256
LONGEST_TURN = 200
"""A turn's id begins the ids of its messages, which are as short."""

DEFAULT_USER = "local"


@dataclass(frozen=True)
class Identity:
    """What a call says about itself."""

    thread: str
    namespace: str
    """The checkpoint namespace: empty, or the place of this graph in a parent graph."""
    user: str
    turn: str | None
    """The caller's own id for the turn, which makes a repeated call harmless."""
    checkpoint: str | None
    """The checkpoint to go on from; None for the thread's latest."""
    run: str | None = None
    """The id that a server gives a run, the same when it takes the run up again."""

    @property
    def key(self) -> str:
        """The key of the lock: two calls with one key may not run at once."""
        return f"{self.thread}\0{self.namespace}"


def identity_of(configurable: Mapping[str, Any], default_user: str | None = DEFAULT_USER) -> Identity:
    """Give who is speaking, and where.

    A server that has authenticated the person says so in `langgraph_auth_user_id`, which then is the user, whatever
    `user_id` claims. Without either the user is `default_user`.

    Raises:
        IdentityError: an id is missing or malformed; `1` and `"1"` would be one thread, so only text is taken.
    """
    thread = configurable.get("thread_id")
    if thread is None:
        raise IdentityError("No thread_id was given.", 'Pass {"configurable": {"thread_id": "…"}}.')
    user = configurable.get("langgraph_auth_user_id") or configurable.get("user_id") or default_user
    if user is None:
        raise IdentityError("No user_id was given.", 'Pass {"configurable": {"user_id": "…"}}: this store is shared.')
    turn = configurable.get("turn_id")
    checkpoint = configurable.get("checkpoint_id")
    return Identity(
        thread=checked("thread_id", thread),
        namespace=str(configurable.get("checkpoint_ns") or ""),
        user=checked("user_id", user),
        turn=None if turn is None else checked("turn_id", turn, LONGEST_TURN),
        checkpoint=None if not checkpoint else checked("checkpoint_id", checkpoint),
    )


def checked(name: str, value: object, longest: int = LONGEST) -> str:
    """Give an id that is text of 1 to 256 characters without control characters.

    Raises:
        IdentityError: it is not.
    """
    if not isinstance(value, str):
        raise IdentityError(f"{name} is {value!r}, a {type(value).__name__}.", f"Give {name} as text.")
    if not value.strip() or len(value) > longest:
        raise IdentityError(f"{name} has {len(value)} characters.", f"Give {name} with 1 to {longest} characters.")
    if any(ord(letter) < 0x20 or 0x7F <= ord(letter) < 0xA0 or "\ud800" <= letter <= "\udfff" for letter in value):
        raise IdentityError(f"{name} {value!r} holds a control character.", f"Give {name} without it.")
    return value


def check_owner(identity: Identity, owner: str | None) -> None:
    """Refuse a thread that another person opened.

    Raises:
        IdentityError: it is not this user's.
    """
    if owner is not None and owner != identity.user:
        raise IdentityError(
            f"The thread {identity.thread!r} belongs to another user than {identity.user!r}.",
            "Use a thread of your own, or pass the user_id that opened it.",
        )


def unknown_checkpoint(identity: Identity) -> IdentityError:
    """Give the error of a checkpoint id that the thread does not have."""
    return IdentityError(
        f"The thread {identity.thread!r} has no checkpoint {identity.checkpoint!r}.",
        "Take one from get_state_history, or leave checkpoint_id out to go on from the latest turn.",
    )


def stamp_from(config: RunnableConfig) -> Stamp:
    """Give the stamp that the guard put on a run, as a node finds it in its config.

    Raises:
        IdentityError: the graph runs without the guard.
    """
    metadata = cast("Mapping[str, Any]", config.get("metadata") or {})
    configurable = cast("Mapping[str, Any]", config.get("configurable") or {})
    if TURN not in metadata:
        raise IdentityError("The run carries no turn id.", "Run the graph that build_graph gives, not its parts.")
    return Stamp(
        turn_id=metadata[TURN],
        at=metadata[AT],
        user=metadata[USER],
        thread=checked("thread_id", configurable["thread_id"]),
    )
