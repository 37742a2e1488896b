"""Where everything stands in the archive: namespaces and keys, computed, never searched for."""

from __future__ import annotations

from urllib.parse import quote

SCHEMA = 1
"""The version in every archived value; a change of shape raises it."""

Namespace = tuple[str, ...]


def label(text: str) -> str:
    """Give a text as one namespace label: percent-encoded, never empty, without the dot that stores use themselves.

    Law: different texts have different labels.
    """
    return quote(text, safe="").replace(".", "%2E") or "%"


def turns(thread: str) -> Namespace:
    """Give the namespace of a thread's turns; the key is the turn's id."""
    return ("turns", label(thread))


def messages(thread: str, turn: str) -> Namespace:
    """Give the namespace of a turn's messages; the key is the message's place in its turn, from 0."""
    return ("messages", label(thread), label(turn))


def references(thread: str) -> Namespace:
    """Give the namespace of a thread's references; the key is the reference id."""
    return ("references", label(thread))


def prepared(thread: str) -> Namespace:
    """Give the namespace of a thread's prepared texts; the key is the content address."""
    return ("prepared", label(thread))
