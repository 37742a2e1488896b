"""A text as the rules read it: Chinese in simplified letters, full-width letters and digits in their plain form."""

from __future__ import annotations

from functools import cache, lru_cache
from pathlib import Path
from typing import cast

import yaml

_DATA = Path(__file__).parent / "data" / "traditional.yaml"

_FULL_WIDTH = ord("Ａ") - ord("A")
"""How far a full-width letter or digit stands behind its plain form."""


@lru_cache(maxsize=1024)
def simplified(text: str) -> str:
    """Give the text in simplified and plain letters, one for one: a place in it is the same place in the source."""
    return text if text.isascii() else text.translate(_letters())


@cache
def _letters() -> dict[int, str]:
    loaded = cast(dict[str, str], yaml.safe_load(_DATA.read_text(encoding="utf-8")))
    full_width = {code: chr(code - _FULL_WIDTH) for code in range(0xFF10, 0xFF5B) if chr(code).isalnum()}
    return full_width | {ord(pair[0]): pair[1] for pair in loaded["pairs"].split()}
