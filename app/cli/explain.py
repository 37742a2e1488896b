"""`ninefold explain`: what a prompt was made of, and why words are in it or not."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from .options import DEFAULT_USER, AgentFile, Lang, User, agent_settings, wording

if TYPE_CHECKING:
    from ..sessions import Place

HELP = "Tell what a turn's prompt was made of, and why words are in it or not."


def explain(
    thread: Annotated[str, typer.Argument(metavar="THREAD", help="The session's name.")],
    about: Annotated[
        str | None, typer.Option("--about", metavar="TEXT", help="Words that you miss, or wonder about.")
    ] = None,
    turn: Annotated[int | None, typer.Option("--turn", metavar="N", help="The turn; without it the last one.")] = None,
    user: User = DEFAULT_USER,
    agent: AgentFile = None,
    lang: Lang = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object with every field.")] = False,
) -> None:
    """Print what became of the words, the most telling finding first; without words, all that is kept of the turn."""
    from ..sessions import opened

    settings = agent_settings(agent, None)
    words = wording(lang, settings)
    with opened(settings, words) as place:
        if about is None:
            print("\n".join(_turn(place, thread, user, turn, settings.model.num_ctx, as_json=as_json)))
        else:
            print("\n".join(_words(place, thread, user, about, turn, as_json=as_json)))


def _turn(place: Place, thread: str, user: str, turn: int | None, num_ctx: int, *, as_json: bool) -> list[str]:
    from ..explaining import overview
    from ..kept_turns import moments_until

    moment = moments_until(place, thread, user, turn)[-1]
    if as_json:
        shown = {"turn", "view", "constraints", "summary", "recalled", "outcome", "trace"}
        return [moment.model_dump_json(include=shown)]
    return overview(moment, num_ctx, place.words)


def _words(place: Place, thread: str, user: str, about: str, turn: int | None, *, as_json: bool) -> list[str]:
    import json
    from dataclasses import asdict

    from .. import explaining

    found = explaining.explain(place, thread, user, about, turn)
    if not as_json:
        return explaining.sentences(found, place.words)
    findings = [finding.model_dump(mode="json", exclude_defaults=True) for finding in found.findings]
    return [json.dumps({**asdict(found), "findings": findings}, ensure_ascii=False)]
