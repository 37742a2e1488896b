"""`ninefold explain`: why words are, or are not, in the prompt."""

from __future__ import annotations

from typing import Annotated

import typer

from .options import DEFAULT_USER, AgentFile, Lang, User, agent_settings, wording

HELP = "Tell why words are, or are not, in a session's prompt. 解释某句话为什么在或不在提示词里。"


def explain(
    thread: Annotated[str, typer.Argument(metavar="THREAD", help="The session's name.")],
    words: Annotated[str, typer.Argument(metavar="WORDS", help="What you miss, or wonder about.")],
    turn: Annotated[int | None, typer.Option("--turn", metavar="N", help="The turn; without it the last one.")] = None,
    user: User = DEFAULT_USER,
    agent: AgentFile = None,
    lang: Lang = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object with every field.")] = False,
) -> None:
    """Print what became of the words, the most telling finding first."""
    import json
    from dataclasses import asdict

    from .. import explaining
    from ..sessions import opened

    settings = agent_settings(agent, None)
    words_of = wording(lang, settings)
    with opened(settings, words_of) as place:
        found = explaining.explain(place, thread, user, words, turn)
    if not as_json:
        print("\n".join(explaining.sentences(found, words_of)))
        return
    findings = [finding.model_dump(mode="json", exclude_defaults=True) for finding in found.findings]
    print(json.dumps({**asdict(found), "findings": findings}, ensure_ascii=False))
