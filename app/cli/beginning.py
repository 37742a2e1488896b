"""How a chat and the page begin: the provider is chosen, the model warmed, the rule for conflicts set."""

from __future__ import annotations

import os
import sys
from contextlib import suppress
from pathlib import Path
from threading import Thread
from typing import TYPE_CHECKING

from .models import progress_bar
from .options import at_host, host_url

if TYPE_CHECKING:
    from ninefold.state import AgentSettings, ConflictRule

    from ..wording import Wording


def begun(settings: AgentSettings, words: Wording) -> AgentSettings:
    """Give the agent as its data folder was begun; a choice that is made now is said aloud, and one that is not."""
    from ..first_start import FILE, chosen, resumed
    from ..home import data_folder

    folder, url = data_folder(settings), host_url(os.environ)
    if "model" in settings.model_fields_set:
        return at_host(resumed(settings, folder), os.environ)
    choice = chosen(settings, folder, lambda name: _bring(name, folder, words), server=url)
    model = choice.settings.model
    named = f"{model.provider}:{model.model_name}"
    if choice.new:
        print(words.say("chat.chosen", model=named, file=folder / FILE), file=sys.stderr)
    elif url is not None and model.provider != "ollama":
        print(words.say("chat.kept", model=named, url=url, file=folder / FILE), file=sys.stderr)
    return at_host(choice.settings, os.environ)


def _bring(name: str, folder: Path, words: Wording) -> None:
    """Have the embedded model's weights in the data folder: said before it begins, and shown while it goes on."""
    from ninefold.adapters.weights.catalogue import find_weights
    from ninefold.adapters.weights.pull import model_file, pull
    from ninefold.state import ModelMissing

    with suppress(ModelMissing):
        model_file(name, folder)
        return
    size = f"{find_weights(name).size / 1e6:.0f}"
    print(words.say("chat.fetching", model=name, size=size), file=sys.stderr)
    with progress_bar(words.say("models.pulling", name=name)) as report:
        pull(name, folder, progress=report)


def warm(settings: AgentSettings, words: Wording) -> Thread | None:
    """Begin to load an embedded model and to read its system prompt, while the person types and the libraries load.

    A fault is left to the first turn, which names it. The language of the prompt is a guess: that of the person's
    locale; a wrong one costs the first turn a second.
    """
    if settings.model.provider != "embedded":
        return None

    def load() -> None:
        from langchain_core.messages import HumanMessage, SystemMessage

        from ninefold.graph.parts import fixed_text
        from ninefold.state import NinefoldError

        from ..build import model_of
        from ..home import data_folder

        with suppress(NinefoldError):
            opening = SystemMessage(fixed_text(settings, settings.language or words.language))
            model_of(settings.model, data_folder(settings)).invoke([opening, HumanMessage("")], num_predict=1)

    thread = Thread(target=load, name="warm", daemon=True)
    thread.start()
    return thread


def asking(settings: AgentSettings) -> AgentSettings:
    """Give the settings of an agent that a person sits before: conflicts are asked about, unless they say otherwise."""
    from ninefold.state import ConflictRule

    if "on_conflict" in settings.constraints.model_fields_set:
        return settings
    return with_rule(settings, ConflictRule.ASK)


def with_rule(settings: AgentSettings, rule: ConflictRule) -> AgentSettings:
    """Give the settings with another rule for conflicts."""
    return settings.model_copy(update={"constraints": settings.constraints.model_copy(update={"on_conflict": rule})})
