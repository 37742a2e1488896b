"""Writes docs/configuration.md from the settings themselves, in both languages; `--check` only compares.

Usage: python tools/reference.py [--check]
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from enum import Enum
from pathlib import Path
from typing import Any, get_args

import yaml
from pydantic import BaseModel
from pydantic.fields import FieldInfo
from pydantic_core import PydanticUndefined

from ninefold.state import AgentSettings

DOCS = Path(__file__).parent.parent / "docs"
TITLE = "# Configuration"
HEAD = """\
An agent is one YAML file with everything under `agent:`; what it leaves out has its default. A wrong key or value is
named with its line and what is allowed. `tools/reference.py` writes this page from the settings' own definitions."""

Say = Callable[[str], str]
"""Gives an English text in the page's language."""


def pages() -> dict[Path, str]:
    """Give every page with its text.

    Raises:
        SystemExit: a text has no Chinese in reference.zh.yaml.
    """
    chinese: dict[str, str] = yaml.safe_load(Path(__file__).with_suffix(".zh.yaml").read_text(encoding="utf-8"))

    def translated(text: str) -> str:
        if text and text not in chinese:
            sys.exit(f"reference.zh.yaml lacks: {text}")
        return chinese.get(text, "")

    return {DOCS / "configuration.md": reference(str), DOCS / "configuration.zh-CN.md": reference(translated)}


def reference(say: Say) -> str:
    """Give the whole page in a language."""
    head = [say(TITLE), "", HEAD if say is str else say(" ".join(HEAD.split())), ""]
    return "\n".join([*head, *_section("agent", AgentSettings, say)]).rstrip() + "\n"


def _section(path: str, model: type[BaseModel], say: Say) -> list[str]:
    about = " ".join((model.__doc__ or "").split())
    heads = " | ".join(say(name) for name in ("key", "default", "meaning"))
    lines = [f"## `{path}`", "", say(about), "", f"| {heads} |", "|---|---|---|"]
    inner: list[str] = []
    for name, field in model.model_fields.items():
        nested = _nested(field.annotation)
        below = nested is not None and isinstance(_default(field), BaseModel)
        default = say("see below") if below else f"`{_shown(_default(field))}`"
        lines.append(f"| `{name}` | {default} | {_meaning(field, say)} |")
        if nested and below:
            inner += _section(f"{path}.{name}", nested, say)
    return [*lines, "", *inner]


def _nested(annotation: Any) -> type[BaseModel] | None:
    for each in (annotation, *get_args(annotation)):
        if isinstance(each, type) and issubclass(each, BaseModel):
            return each
    return None


def _default(field: FieldInfo) -> Any:
    if field.default is not PydanticUndefined:
        return field.default
    return field.get_default(call_default_factory=True, validated_data={})


def _shown(value: Any) -> str:
    match value:
        case None:
            return "null"
        case bool():
            return str(value).lower()
        case Enum():
            return str(value.value)
        case tuple():
            return "[" + ", ".join(map(str, value)) + "]"
        case _:
            return str(value)


def _meaning(field: FieldInfo, say: Say) -> str:
    allowed = [each for each in get_args(field.annotation) if isinstance(each, str)]
    enums = [each for each in (field.annotation, *get_args(field.annotation)) if isinstance(each, type)]
    allowed += [str(one.value) for each in enums if issubclass(each, Enum) for one in each]
    text = say(" ".join((field.description or "").split()))
    return f"{text} {say('One of: {}.').format(', '.join(allowed))}".strip() if allowed else text


if __name__ == "__main__":
    for document, text in pages().items():
        if "--check" not in sys.argv:
            document.write_text(text, encoding="utf-8")
        elif not document.exists() or document.read_text(encoding="utf-8") != text:
            sys.exit(f"{document.name} differs from the settings: run python {Path(__file__).name}")
