"""Bound tools as qwen2.5's template writes them behind the system text."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import cast

from .go_json import go_json, object_json

Tools = Sequence[Mapping[str, object]]
"""Function schemas as `convert_to_openai_tool` gives them."""


@dataclass(frozen=True)
class Dialect:
    """What differs between the models and servers that use this template."""

    coder: bool = False
    """qwen2.5-coder's published template words the instructions around the tools differently."""
    modern_server: bool = False
    """Servers after 0.5 keep a schema's order and item types, drop what is empty, and keep tool results apart."""


PUBLISHED = Dialect()
"""qwen2.5's template on Ollama 0.5, whose counts are checked against a real server."""

_HEAD = """

# Tools

You may call one or more functions to assist with the user query.

You are provided with function signatures within <tools></tools>{signatures}:
<tools>"""

_TAIL = """
</tools>

For each function call, return a json object with function name and arguments within <tool_call></tool_call>{calls}
<tool_call>
{{"name": <function-name>, "arguments": <args-json-object>}}
</tool_call>"""


def tools_block(tools: Tools, dialect: Dialect = PUBLISHED) -> str:
    """What bound tools add to the system block; nothing without tools."""
    if not tools:
        return ""
    try:
        return _written(json.dumps([*tools]), dialect)
    except TypeError:
        return _block(tools, dialect)


@lru_cache(maxsize=64)
def _written(tools: str, dialect: Dialect) -> str:
    """The block of tools given as JSON: an agent's tools stay the same, and are written several times a turn."""
    return _block(json.loads(tools), dialect)


def _block(tools: Tools, dialect: Dialect) -> str:
    signatures = "" if dialect.coder else " XML tags"
    calls = " with NO other text. Do not include any backticks or ```json." if dialect.coder else " XML tags:"
    write = _modern_function if dialect.modern_server else _function
    lines = [f'\n{{"type": "function", "function": {write(_mapping(tool.get("function")))}}}' for tool in tools]
    return _HEAD.format(signatures=signatures) + "".join(lines) + _TAIL.format(calls=calls)


def _function(function: Mapping[str, object]) -> str:
    """The function as Ollama 0.5's own type holds it: its fields in its order, all other keys dropped."""
    parameters = _mapping(function.get("parameters"))
    schemas = _mapping(parameters.get("properties"))
    written = ((name, _property(_mapping(schemas[name]))) for name in sorted(schemas))
    return _struct(
        ("name", go_json(function.get("name") or "")),
        ("description", go_json(function.get("description") or "")),
        (
            "parameters",
            _struct(
                ("type", go_json(parameters.get("type") or "")),
                ("required", go_json(parameters.get("required"))),
                ("properties", _struct(*written) if "properties" in parameters else "null"),
            ),
        ),
    )


def _property(schema: Mapping[str, object]) -> str:
    fields = [("type", schema.get("type") or ""), ("description", schema.get("description") or "")]
    return object_json([*fields, *_filled(schema, "enum")])


def _modern_function(function: Mapping[str, object]) -> str:
    """The function as later servers hold it, after what the Python client keeps of a schema."""
    parameters = _mapping(function.get("parameters"))
    schemas = _mapping(parameters.get("properties"))
    written = (
        (name, object_json(_filled(_mapping(schema), "type", "items", "description", "enum")))
        for name, schema in schemas.items()
    )
    head = object_json([("type", parameters.get("type") or ""), *_filled(parameters, "$defs", "items", "required")])
    shape = f'{head[:-1]},"properties":{_struct(*written) if "properties" in parameters else "null"}}}'
    named = object_json([("name", function.get("name") or ""), *_filled(function, "description")])
    return f'{named[:-1]},"parameters":{shape}}}'


def _filled(schema: Mapping[str, object], *names: str) -> list[tuple[str, object]]:
    """The named fields that hold anything, in this order."""
    return [(name, schema[name]) for name in names if schema.get(name)]


def _struct(*fields: tuple[str, str]) -> str:
    """An object of values that are JSON already."""
    return "{" + ",".join(f"{go_json(name)}:{value}" for name, value in fields) + "}"


def _mapping(value: object) -> Mapping[str, object]:
    return cast("Mapping[str, object]", value) if isinstance(value, Mapping) else {}
