"""JSON exactly as Go's `encoding/json` writes it, because Ollama renders tools and call arguments with it."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from decimal import Decimal
from math import isfinite

_ESCAPED = re.compile("[<>&\u2028\u2029]")


def go_json(value: object) -> str:
    """The value as Go marshals it after the wire: maps sorted by key, no spaces, HTML characters escaped."""
    match value:
        case None:
            return "null"
        case bool():
            return "true" if value else "false"
        case int() | float():
            return _number(value)
        case str():
            return _string(value)
        case Mapping():
            return object_json([(str(key), value[key]) for key in sorted(value, key=str)])
        case Sequence():
            return "[" + ",".join(go_json(item) for item in value) + "]"
        case _:
            return _string(str(value))


def object_json(fields: Sequence[tuple[str, object]]) -> str:
    """A Go struct: the fields in the order given."""
    return "{" + ",".join(f"{_string(name)}:{go_json(value)}" for name, value in fields) + "}"


def _string(text: str) -> str:
    quoted = json.dumps(text, ensure_ascii=False)
    return _ESCAPED.sub(lambda found: f"\\u{ord(found[0]):04x}", quoted)


def _number(number: float) -> str:
    """Every JSON number is a float64 in Go: plain digits between 1e-6 and 1e21, an exponent outside."""
    try:
        value = float(number)
    except OverflowError:
        return str(number)
    if not isfinite(value):
        return "null"
    if value == 0 or 1e-6 <= abs(value) < 1e21:
        plain = format(Decimal(repr(value)), "f")
        return plain.rstrip("0").rstrip(".") if "." in plain else plain
    mantissa, exponent = repr(value).split("e")
    return f"{mantissa.removesuffix('.0')}e{exponent[0]}{exponent[1:].lstrip('0')}"
