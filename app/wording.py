"""What the commands say, in the person's language."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from string import Formatter
from typing import Any

from ninefold.state import Language

from .program import as_run


class Wording:
    """The commands' sentences in one language; `say(key)` fills one in."""

    def __init__(self, language: Language) -> None:
        self.language = language
        self._sentences = sentences(language)

    def say(self, key: str, **values: object) -> str:
        """Give the sentence of a key with its values in place."""
        return _FORMATTER.vformat(as_run(self._sentences[key]), (), values)

    def name(self, group: str, name: str, unknown: str | None = None) -> str:
        """Give what a name of the code is called, as `key.colour`; one that nobody named stays as it is."""
        return self._sentences.get(f"{group}.{name}", name if unknown is None else unknown)

    def refusal(self, key: str, **values: object) -> tuple[str, str]:
        """Give the cause under a key and the next step under `<key>_next`, as every named error takes them."""
        return self.say(key, **values), self.say(f"{key}_next", **values)


class _Counted(Formatter):
    """Writes `{turns:turn|turns}` as "1 turn" and "2 turns"."""

    def format_field(self, value: Any, format_spec: str) -> str:
        """Give a value as its place asks for it."""
        one, counted, many = format_spec.partition("|")
        return f"{value} {one if value == 1 else many}" if counted else format(value, format_spec)


_FORMATTER = _Counted()


@cache
def sentences(language: Language) -> Mapping[str, str]:
    """Give all sentences of a language by key; both languages have the same keys and the same values to fill in."""
    import yaml

    text = files("ninefold").joinpath("messages", f"{language.value}.yaml").read_text(encoding="utf-8")
    loaded: dict[str, str] = yaml.safe_load(text)
    return loaded


def language_of(environment: Mapping[str, str], chosen: str | None = None) -> Language:
    """Give the language that was chosen, else the one of the person's locale, else English."""
    names = (chosen, *(environment.get(name) for name in ("LC_ALL", "LC_MESSAGES", "LANG")))
    first = next((name for name in names if name), "")
    return Language.CHINESE if first.lower().startswith("zh") else Language.ENGLISH
