"""The context of one model call: layers in the order sent, by reference to messages, never their copies."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated

from pydantic import Field

from .base import Count, Identifier, Value


class LayerName(StrEnum):
    """The layers of a prompt."""

    FIXED = "fixed"
    CONSTRAINTS = "constraints"
    SUMMARY = "summary"
    WINDOW = "window"
    MEMORIES = "memories"
    TURN_CONSTRAINTS = "turn_constraints"
    CURRENT = "current"


class Order(StrEnum):
    """Where recalled memories stand: with the current input, or before the window."""

    STABLE = "stable"
    RECALL_FIRST = "recall_first"


class Clip(Value):
    """A message sent as its head and tail, in characters, around a marker that names the reference."""

    head: Count
    tail: Count
    reference: Identifier
    kept: Annotated[tuple[tuple[Count, Count], ...], Field(max_length=16)] = ()
    """What is sent of the text between: beginning and end of each piece, in characters."""


class Piece(Value):
    """One message of a layer, as it is sent."""

    message: Identifier
    clip: Clip | None = None
    rules: str = ""
    """The constraints that stand with the message, as they are sent before its words."""


class Layer(Value):
    """One layer as sent."""

    name: LayerName
    anchor: str = ""
    text: str = ""
    """What the layer says under its anchor, when it is not made of messages; the fixed layer keeps a digest."""
    pieces: tuple[Piece, ...] = ()
    tokens: Count


class View(Value):
    """What one model call is sent, and what it would have needed untrimmed."""

    layers: tuple[Layer, ...]
    tokens: Count
    """The whole rendered prompt, tools and reply primer included."""
    reserve: Count
    """Tokens kept for the reply, sent as num_predict."""
    needed: Count
    """Tokens of the prompt if nothing had given way."""
    head: str = ""
    """A digest of the system message: while it stays, a server that keeps what it has read reads only what is new."""
    gave_way: Annotated[tuple[str, ...], Field(max_length=16)] = ()
    """What was left out or cut, in the order in which layers give way."""
    over: LayerName | None = None
    """The layer that cannot fit even alone with those that never give way."""
