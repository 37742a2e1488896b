"""The chat: a turn begins, is watched, stopped, taken up again, and its question answered."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncGenerator, AsyncIterator
from typing import Any

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import JSONResponse, Response, StreamingResponse

from ninefold.policies.text import storable
from ninefold.state import ConflictAnswer, InputError

from ..console.happenings import Happening
from ..sessions.change import checkpoint_of
from .requests import Asked, read
from .runs import Run

_QUIET = 15.0
"""Seconds without news after which an empty line tells that the connection stands."""


async def say(request: Request) -> Response:
    """Begin a turn with the person's message, or from an earlier turn of the session."""
    asked = await read(request)
    text, turn = asked.text("text"), asked.number("turn")
    if not text.strip():
        raise InputError("The message is empty.", "Write something.")
    checkpoint = None
    if turn is not None:
        checkpoint = await run_in_threadpool(checkpoint_of, asked.place, asked.thread, asked.served.user, turn)
    talk = asked.served.conversation(asked.thread, checkpoint)
    return _begun(asked, text, talk.say(text))


async def retry(request: Request) -> Response:
    """Take up the turn that was not finished."""
    asked = await read(request)
    return _begun(asked, "", asked.conversation.retry())


async def decide(request: Request) -> Response:
    """Go on with the person's answer to each question."""
    asked = await read(request)
    given = asked.given.get("answers")
    known = {answer.value for answer in ConflictAnswer}
    if not isinstance(given, dict) or not given or not {str(answer) for answer in given.values()} <= known:
        raise InputError("That is no answer.", f"Answer with {', '.join(sorted(known))}.")
    answers = {str(storable(key)): str(value) for key, value in given.items()}
    return _begun(asked, "", asked.conversation.decide(answers))


async def stop(request: Request) -> Response:
    """Stop the turn that runs."""
    asked = await read(request)
    return JSONResponse({"stopped": await asked.served.runs.stop(asked.thread)})


async def watch(request: Request) -> Response:
    """Stream what happened and happens in the session's turn, a JSON object a line, from its beginning."""
    asked = await read(request)
    run = asked.served.runs.of(asked.thread)
    return StreamingResponse(_lines(run) if run else iter(()), media_type="application/x-ndjson")


def _begun(asked: Asked, said: str, happenings: AsyncGenerator[Happening, None]) -> Response:
    prepare = asked.conversation.prepare
    asked.served.runs.begin(asked.thread, said, happenings, asked.wording, prepare)
    return JSONResponse({"running": True}, 202)


async def _lines(run: Run) -> AsyncIterator[bytes]:
    """Give each event as a line; in silence an empty one, by which a lost connection is noticed."""
    events = run.watch()
    waiting: asyncio.Future[Any] | None = None
    try:
        while True:
            waiting = waiting or asyncio.ensure_future(anext(events))
            done, _ = await asyncio.wait([waiting], timeout=_QUIET)
            if not done:
                yield b"\n"
                continue
            try:
                event = waiting.result()
            except StopAsyncIteration:
                return
            waiting = None
            yield json.dumps(event, ensure_ascii=False).encode("utf-8", "replace") + b"\n"
    finally:
        if waiting is not None:
            waiting.cancel()
