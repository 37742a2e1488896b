"""`ninefold doctor`: what may keep the agent from working well, with the commands that mend it."""

from __future__ import annotations

import os

import typer

from .options import AgentFile, Lang, ModelName, agent_settings, named_agent, wording

HELP = "Look for what may keep the agent from working, and name what mends it."


def doctor(agent: AgentFile = None, model: ModelName = None, lang: Lang = None) -> None:
    """Look at server, models, memory, disk and locks; the exit status is 1 when there is a fault."""
    from ..doctor import Level, examine
    from ..first_start import may_choose
    from ..home import data_folder
    from ..program import as_run
    from ..translation import translated

    settings = agent_settings(agent, model)
    words, folder = wording(lang, settings), data_folder(settings)
    free = "OLLAMA_HOST" not in os.environ and may_choose(named_agent(agent, model), folder)
    marks = {Level.GOOD: "✓", Level.WARNING: "!", Level.FAULT: "✗"}
    worst = 0
    for finding in examine(settings, folder, free=free):
        values = {name: translated(str(value), words.language) for name, value in finding.values.items()}
        print(f"{marks[finding.level]} {words.say(finding.key, **values)}")
        if finding.command:
            print(f"    → {as_run(translated(finding.command, words.language))}")
        worst |= finding.level is Level.FAULT
    raise typer.Exit(int(worst))
