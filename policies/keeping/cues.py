"""What a sentence is, told by its words: a decision, a step still to do, a finished one, a mere greeting."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path
from typing import Literal, cast

import yaml

Cue = Literal[
    "decision", "proposes", "todo", "soon", "done", "order", "confirm", "small_talk", "asking", "refusal", "this_turn"
]

_DATA = Path(__file__).parent.parent / "data" / "summary_cues.yaml"


def heard(cue: Cue, text: str) -> bool:
    """Whether a sentence carries a cue."""
    return _pattern(cue).search(text.strip()) is not None


@cache
def _pattern(cue: str) -> re.Pattern[str]:
    loaded = cast(dict[str, list[str]], yaml.safe_load(_DATA.read_text(encoding="utf-8")))
    return re.compile("|".join(f"(?:{pattern})" for pattern in loaded[cue]), re.IGNORECASE)
