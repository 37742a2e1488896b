"""The ledger of a session with the time of its steps, and the answer to why words are in a prompt or not."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from ninefold.adapters.tokens import for_model

from ...explaining import explain, sentences
from ...ledger import Ledger, forecast, ledger
from ..requests import Asked


def costs(asked: Asked) -> dict[str, Any]:
    """Give the tokens of each kept turn, the forecast in words, and the seconds of steps where they were measured.

    Raises:
        InputError: the person has no such session.
        StorageError: a database failed.
    """
    served, thread = asked.served, asked.thread
    found = Ledger(thread, (), served.num_ctx, 0, None)
    if asked.place.exists(thread):
        model = served.settings.model
        tokens = for_model(model.provider, model.model_name)
        found = ledger(asked.place, thread, served.user, tokens=tokens, num_ctx=served.num_ctx)
    seconds = served.runs.seconds(thread)
    steps = {step for each in seconds.values() for step in each}
    return {
        **asdict(found),
        "forecast": forecast(found, asked.wording) if found.rows else "",
        "seconds": {str(turn): dict(each) for turn, each in seconds.items()},
        "steps": {step: asked.wording.name("step", step) for step in sorted(steps)},
    }


def why(asked: Asked) -> dict[str, Any]:
    """Give what became of words in the prompt of a turn, in sentences.

    Raises:
        InputError: there is no such session or turn, or there are no words.
        StorageError: a database failed.
    """
    found = explain(asked.place, asked.thread, asked.served.user, asked.text("words"), asked.number("turn"))
    title, *lines = sentences(found, asked.wording)
    return {"title": title, "lines": [line.removeprefix("- ") for line in lines], "causes": _causes(found.findings)}


def _causes(findings: Any) -> list[str]:
    return [finding.cause.value for finding in findings]
