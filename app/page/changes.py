"""What a person does at the page between two turns: pin, end, compact, take back, forget, correct."""

from __future__ import annotations

from typing import Any

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from ninefold.graph.forgetting import meant
from ninefold.graph.guard import now
from ninefold.policies.forget_texts import any_of
from ninefold.state import MemoryRecord, SettingsError

from ..console import changes
from ..correcting import corrected
from ..forgetting import forget as forgotten
from .requests import Asked, read


def pinned(asked: Asked) -> dict[str, Any]:
    """Make words hold for the session."""
    return {"words": changes.pin(asked.conversation, asked.text("what"), asked.wording)}


def ended(asked: Asked) -> dict[str, Any]:
    """Let a constraint hold no longer."""
    return {"words": asked.wording.say("end.done", words=asked.conversation.end(asked.text("id")).words)}


def compacted(asked: Asked) -> dict[str, Any]:
    """Compact the window now."""
    return {"words": changes.compact(asked.conversation, asked.text("what"), asked.wording)}


def undone(asked: Asked) -> dict[str, Any]:
    """Take the last compaction back."""
    return {"words": changes.undo(asked.conversation, "", asked.wording)}


async def forget(request: Request) -> Response:
    """Forget words, or what stands under an id, everywhere; first what is made of such words meanwhile is ended."""
    asked = await read(request)
    await asked.served.runs.rest()
    return JSONResponse(await run_in_threadpool(_forgotten, asked))


def _forgotten(asked: Asked) -> dict[str, Any]:
    """Forget words, or what stands under an id, everywhere: on every thread, in the memories, in the kept lines."""
    what = asked.text("what").strip()
    thread = asked.thread if "thread" in asked.given else None
    memory = asked.served.parts.memory
    known = memory.records(asked.served.user) if memory else ()
    texts = meant(what, known, asked.conversation.constraints()[0] if thread else ())
    try:
        gone = forgotten(asked.served.graph, asked.served.user, what, asked.place.data, thread=thread)
        texts = gone.texts
    finally:
        asked.served.runs.clean(any_of(texts))
    return {"words": changes.told_forgotten(gone, what, asked.wording)}


def memories(asked: Asked) -> list[dict[str, Any]]:
    """Give what is known of the person, the newest first; what was replaced stands behind."""
    memory = asked.served.parts.memory
    records = memory.records(asked.served.user) if memory else ()
    shown = [_memory(record, asked) for record in reversed(records)]
    return sorted(shown, key=lambda each: each["status"] != "active")


def amended(asked: Asked) -> dict[str, Any]:
    """Put the person's words in a memory's place.

    Raises:
        SettingsError: the agent keeps no memories.
    """
    memory = asked.served.parts.memory
    if memory is None:
        raise SettingsError("This agent's memory is off.", "Set `memory: on` in agent.yaml.")
    at = now().isoformat(timespec="seconds")
    new = corrected(memory, asked.served.user, asked.text("id"), asked.text("what"), at)
    return {"words": asked.wording.say("page.corrected", words=new.text)}


def _memory(record: MemoryRecord, asked: Asked) -> dict[str, Any]:
    return {
        "id": record.id,
        "text": record.text,
        "kind": asked.wording.name("kind", record.kind.value),
        "created": record.created,
        "hits": record.hits,
        "status": record.status.value,
        "label": asked.wording.name("status", record.status.value),
        "thread": record.thread,
    }
