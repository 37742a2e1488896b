"""Content addresses of what a model made ahead: what was made of another content is never found."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence

from ninefold.state import AgentSettings

from ..text import plain_text
from ..window import Group
from .chronicle import original_of
from .strategy import Originals

PROMPT_VERSION = 1
"""Version of summary.zh.md and summary.en.md; what was made with another one is never looked up."""


def address(kind: str, parts: Sequence[object], settings: AgentSettings) -> str:
    """Give the address of what the models of an agent make of these parts."""
    light = settings.light_model
    models = [settings.model.model_name, light if isinstance(light, str | None) else light.model_name]
    text = json.dumps([PROMPT_VERSION, models, *parts], ensure_ascii=True, sort_keys=True, default=str)
    return f"{kind}/" + hashlib.sha256(text.encode()).hexdigest()


def words_of(groups: Sequence[Group], archive: Originals) -> list[tuple[str | None, str | None]]:
    """Give the id and the original words of every message."""
    return [
        (message.id, plain_text(original) if original else None)
        for group in groups
        for message, entry in zip(group.messages, group.entries, strict=True)
        for original in [original_of(message, entry, archive)]
    ]
