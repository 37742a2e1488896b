"""The list of sessions, and what can be done to one as a whole."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from ..sessions import delete_session, fork_session, list_sessions, rename_session
from ..sessions.names import new_thread
from .requests import Asked


def home(asked: Asked) -> dict[str, Any]:
    """Give who is there: the agent, its window, the person, the language."""
    settings = asked.served.settings
    return {
        "agent": settings.name,
        "model": f"{settings.model.provider}:{settings.model.model_name}",
        "num_ctx": asked.served.num_ctx,
        "user": asked.served.user,
        "language": asked.wording.language.value,
        "thread": new_thread(),
    }


def listed(asked: Asked) -> list[dict[str, Any]]:
    """Give the person's sessions, the one used last first."""
    running = asked.served.runs
    return [
        {**asdict(session), "words": session.words[:200], "running": running.running(session.thread)}
        for session in list_sessions(asked.place, asked.served.user)
    ]


def renamed(asked: Asked) -> dict[str, Any]:
    """Give a session another name."""
    new = asked.text("new").strip()
    rename_session(asked.place, asked.thread, asked.served.user, new=new)
    asked.served.runs.leave(asked.thread)
    return {"thread": new, "words": asked.wording.say("page.renamed", new=new)}


def deleted(asked: Asked) -> dict[str, Any]:
    """Delete a session."""
    turns = delete_session(asked.place, asked.thread, asked.served.user)
    asked.served.runs.leave(asked.thread)
    return {"words": asked.wording.say("page.deleted", thread=asked.thread, turns=turns)}


def forked(asked: Asked) -> dict[str, Any]:
    """Make a session that goes on from a turn of this one, under a name that is free."""
    new = asked.text("new").strip() or _free(asked)
    turn = fork_session(asked.place, asked.thread, asked.served.user, new=new, turn=asked.number("turn"))
    return {"thread": new, "words": asked.wording.say("page.forked", new=new, turn=turn)}


def _free(asked: Asked) -> str:
    """Give the session's name with the first number behind it that no session has."""
    base = asked.thread[:240]
    number = 2
    while asked.place.exists(f"{base} ({number})"):
        number += 1
    return f"{base} ({number})"
