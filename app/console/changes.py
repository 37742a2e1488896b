"""What a chat does to its session between two turns, and how it tells it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ninefold.state import InputError

from ..translation import translated
from ..wording import Wording

if TYPE_CHECKING:
    from ninefold.graph.forgetting import Forgotten

    from .conversation import Conversation


def pin(conversation: Conversation, words: str, wording: Wording) -> str:
    """Make the words, or the person's last message, hold for the session."""
    held = conversation.pin(words or None)
    return wording.say("pin.done", words=held.words)


def end(conversation: Conversation, what: str, wording: Wording) -> str:
    """Let a constraint hold no longer.

    Raises:
        InputError: no constraint is named, or none that holds.
    """
    if not what:
        raise InputError(*wording.refusal("end.what"))
    return wording.say("end.done", words=conversation.end(what).words)


def undo(conversation: Conversation, _: str, wording: Wording) -> str:
    """Take the last compaction back."""
    back = conversation.undo()
    return wording.say("undo.done", messages=back.messages, tokens=back.tokens)


def compact(conversation: Conversation, focus: str, wording: Wording) -> str:
    """Compact the window now, with an eye on the focus."""
    done = conversation.compact(focus)
    if not done.strategies:
        return wording.say("compact.nothing", reason=translated(done.reason, wording.language))
    return wording.say("compact.done", messages=done.left, tokens=done.freed)


def forget(conversation: Conversation, what: str, wording: Wording) -> str:
    """Forget the words, or a memory's or constraint's by its id, everywhere.

    Raises:
        InputError: nothing is named.
    """
    if not what:
        raise InputError(*wording.refusal("forget.what"))
    return told_forgotten(conversation.forget(what), what, wording)


def told_forgotten(gone: Forgotten, what: str, wording: Wording) -> str:
    """Say what was forgotten, and which sessions may still hold it."""
    left = wording.say("forget.left", threads=", ".join(gone.left)) if gone.left else ""
    if not gone.anything:
        return left or wording.say("forget.nothing", words=what)
    done = wording.say(
        "forget.done",
        memories=gone.memories,
        constraints=gone.constraints,
        items=gone.items,
        messages=gone.messages,
    )
    return f"{done}\n{left}" if left else done
