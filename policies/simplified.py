"""Chinese in traditional letters as the rules read it."""

from __future__ import annotations

from functools import cache, lru_cache
from pathlib import Path
from typing import cast

import yaml

_DATA = Path(__file__).parent / "data" / "traditional.yaml"


@lru_cache(maxsize=1024)
def simplified(text: str) -> str:
    """Give the text in simplified letters, letter for letter: every place in it is the same place in the source."""
    return text if text.isascii() else text.translate(_letters())


@cache
def _letters() -> dict[int, str]:
    loaded = cast(dict[str, str], yaml.safe_load(_DATA.read_text(encoding="utf-8")))
    return {ord(pair[0]): pair[1] for pair in loaded["pairs"].split()}
