"""The base of every value in the state: frozen, closed, plain when stored."""

from __future__ import annotations

from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field

Identifier = Annotated[str, Field(min_length=1, max_length=256)]
"""An id of ours or of the caller: never empty, bounded."""

ShortText = Annotated[str, Field(max_length=400)]
"""Text for people in a trace: bounded, so that the state stays bounded."""

Count = Annotated[int, Field(ge=0, le=2**53)]
"""A number of tokens, messages or turns; within what every store and JSON reader keeps exactly."""


def size(value: BaseModel) -> int:
    """Give the bytes of a value as JSON."""
    return len(value.model_dump_json().encode("utf-8", "surrogatepass"))


class Value(BaseModel):
    """A frozen value; an unknown field is refused by name, never dropped."""

    model_config = ConfigDict(frozen=True, extra="forbid", use_attribute_docstrings=True)
