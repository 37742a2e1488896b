"""`ninefold ledger`: the tokens of a session, turn by turn and layer by layer."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from .options import DEFAULT_USER, AgentFile, Lang, ModelName, User, agent_settings, wording

if TYPE_CHECKING:
    from ..ledger import Ledger, Row
    from ..wording import Wording

HELP = "Show a session's tokens by turn and layer."

COLUMNS = ("fixed", "constraints", "summary", "window", "memories", "turn_constraints", "current")

_UNKNOWN = "–"
"""Stands for a number that is not kept."""


def ledger(
    thread: Annotated[str, typer.Argument(metavar="THREAD", help="The session's name.")],
    user: User = DEFAULT_USER,
    agent: AgentFile = None,
    model: ModelName = None,
    lang: Lang = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object with every field.")] = False,
) -> None:
    """Print a line for each kept turn, and the turn at which the bare conversation fills the window."""
    import json
    from dataclasses import asdict

    from ninefold.adapters.tokens import for_model

    from .. import ledger as ledgers
    from ..sessions import opened

    settings = agent_settings(agent, model)
    words = wording(lang, settings)
    tokens = for_model(settings.model.provider, settings.model.model_name)
    with opened(settings, words) as place:
        found = ledgers.ledger(place, thread, user, tokens=tokens, num_ctx=settings.model.num_ctx)
    if as_json:
        print(json.dumps(asdict(found), ensure_ascii=False))
    else:
        print("\n".join(_lines(found, words)))


def _lines(found: Ledger, words: Wording) -> list[str]:
    from rich.cells import cell_len

    from ..ledger import forecast

    names = ("turn", "prompt", *COLUMNS, "reply", "cached", "calls", "bare", "compacted")
    table = [[words.say(f"ledger.{name}") for name in names], *(_cells(row) for row in found.rows)]
    widths = [max(cell_len(line[column]) for line in table) for column in range(len(names))]
    lines = [
        "  ".join(_right(cell, width) for cell, width in zip(line, widths, strict=True)).rstrip() for line in table
    ]
    if any(row.prompt is None for row in found.rows):
        lines.append(words.say("ledger.gone", mark=_UNKNOWN))
    return [*lines, forecast(found, words)]


def _cells(row: Row) -> list[str]:
    layers = [_count(row.layers.get(name, None if row.prompt is None else 0)) for name in COLUMNS]
    calls = str(row.calls) if not row.internal else f"{row.calls}+{row.internal}"
    cached = "" if row.cached is None else str(row.cached)
    strategies = " ".join(dict.fromkeys(row.compacted))
    prompt, bare = _count(row.prompt), _count(row.bare)
    return [str(row.turn), prompt, *layers, str(row.reply), cached, calls, bare, strategies]


def _count(tokens: int | None) -> str:
    return _UNKNOWN if tokens is None else str(tokens)


def _right(text: str, width: int) -> str:
    from rich.cells import cell_len

    return " " * (width - cell_len(text)) + text
