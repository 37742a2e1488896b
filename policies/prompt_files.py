"""The prompts for models, as files: Chinese and English side by side."""

from __future__ import annotations

from functools import cache
from importlib.resources import files

from ninefold.state import Language


@cache
def prompt(name: str, language: Language) -> str:
    """Give the text of `prompts/<name>.<language>.md`, without the newline at its end."""
    file = files("ninefold.policies").joinpath("prompts", f"{name}.{language.value}.md")
    return file.read_text(encoding="utf-8").rstrip("\n")
