"""Writes docs/configuration.md from the settings themselves; `--check` only compares.

Usage: python tools/reference.py [--check]
"""

from __future__ import annotations

import sys
from enum import Enum
from pathlib import Path
from typing import Any, get_args

from pydantic import BaseModel
from pydantic.fields import FieldInfo
from pydantic_core import PydanticUndefined

from ninefold.state import AgentSettings

DOCUMENT = Path(__file__).parent.parent / "docs" / "configuration.md"
HEAD = """# Configuration

An agent is one YAML file with everything under `agent:`; what it leaves out has its default. A wrong key or value is
named with its line and what is allowed. `tools/reference.py` writes this page from the settings' own definitions.
"""


def reference() -> str:
    """Give the whole page."""
    return "\n".join([HEAD, *_section("agent", AgentSettings)]).rstrip() + "\n"


def _section(path: str, model: type[BaseModel]) -> list[str]:
    lines = [f"## `{path}`", "", *(_paragraph(model)), "| key | default | meaning |", "|---|---|---|"]
    inner: list[str] = []
    for name, field in model.model_fields.items():
        nested = _nested(field.annotation)
        default = "see below" if nested and isinstance(_default(field), BaseModel) else f"`{_shown(_default(field))}`"
        lines.append(f"| `{name}` | {default} | {_meaning(field)} |")
        if nested and isinstance(_default(field), BaseModel):
            inner += _section(f"{path}.{name}", nested)
    return [*lines, "", *inner]


def _paragraph(model: type[BaseModel]) -> list[str]:
    return [" ".join((model.__doc__ or "").split()), ""]


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


def _meaning(field: FieldInfo) -> str:
    allowed = [each for each in get_args(field.annotation) if isinstance(each, str)]
    enums = [each for each in (field.annotation, *get_args(field.annotation)) if isinstance(each, type)]
    allowed += [str(one.value) for each in enums if issubclass(each, Enum) for one in each]
    text = " ".join((field.description or "").split())
    return f"{text} One of: {', '.join(allowed)}.".strip() if allowed else text


if __name__ == "__main__":
    text = reference()
    if "--check" in sys.argv:
        if DOCUMENT.read_text(encoding="utf-8") != text:
            sys.exit(f"{DOCUMENT.name} differs from the settings: run python {Path(__file__).name}")
    else:
        DOCUMENT.write_text(text, encoding="utf-8")
