"""Stored plain data back to typed values: the only way in which state leaves a checkpoint."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, cast, get_type_hints

from langchain_core.messages import convert_to_messages
from pydantic import BaseModel, TypeAdapter, ValidationError

from ninefold.state import InvalidUpdate, SchemaError
from ninefold.state.turn_state import SCHEMA_VERSION, TurnState

VERSION = "schema_version"
Shape = dict[str, Any]
Migration = Callable[[Shape], Shape]


@dataclass(frozen=True)
class Schema:
    """The state's fields, its version, and the steps from each older version to the next."""

    state: type[BaseModel] = TurnState
    version: int = SCHEMA_VERSION
    migrations: Mapping[int, Migration] = field(default_factory=dict[int, Migration])
    """From a version's fields, as plain data, to the next version's; messages are LangChain's own."""

    @cached_property
    def defaults(self) -> Shape:
        """What every field holds before it is first written, without those that LangGraph fills with a reducer."""
        fields = self.state.model_fields
        plain = {name: info.get_default(call_default_factory=True) for name, info in fields.items()}
        return {name: value for name, value in plain.items() if name not in self._reduced} | {VERSION: self.version}

    def migrate(self, stored: Mapping[str, Any]) -> Shape:
        """Give stored fields in this version's shape, plain as they were.

        Raises:
            SchemaError: they are of a newer version, or a step towards this one is missing.
        """
        shape = dict(stored)
        found = shape.get(VERSION, self.version)
        if not isinstance(found, int) or found > self.version:
            raise SchemaError(
                f"The session was written with schema {found}; this release reads up to schema {self.version}.",
                "Install the release that wrote it, or a newer one; nothing was changed.",
            )
        for version in range(found, self.version):
            step = self.migrations.get(version)
            if step is None:
                raise SchemaError(
                    f"The session was written with schema {found}; the step from schema {version} is not known.",
                    f"Open it once with a release that reads schema {version}, then with this one.",
                )
            shape = {**step(shape), VERSION: version + 1}
        return shape

    def typed(self, shape: Mapping[str, Any]) -> Shape:
        """Give fields with typed values; a name that is no field of the state is left as it is.

        Raises:
            SchemaError: a value is not of its field's type.
        """
        return {name: self.typed_value(name, value) for name, value in shape.items()}

    def typed_value(self, name: str, value: Any) -> Any:
        """Give one field's typed value.

        Raises:
            SchemaError: it is not of the field's type.
        """
        adapter = self._adapters.get(name)
        if adapter is None or _overwrites(value):
            return value
        try:
            return adapter.validate_python(value)
        except ValidationError as error:
            raise SchemaError(
                f"The stored field {name!r} does not fit schema {self.version}: {error}.",
                "Go back to an earlier turn with `ninefold sessions fork`, or report this.",
            ) from error

    def check_update(self, values: Mapping[str, Any]) -> None:
        """Refuse an update from outside that the state does not take.

        Raises:
            InvalidUpdate: the field is named.
        """
        for name, value in values.items():
            if name not in self.state.model_fields:
                known = ", ".join(self.state.model_fields)
                raise InvalidUpdate(f"The state has no field {name!r}.", f"Its fields are {known}.")
            if name == VERSION and value != self.version:
                raise InvalidUpdate(f"The field {name!r} says how the thread is stored.", "Leave it out.")
            try:
                self.typed_value(name, value)
                if name == "messages" and not _overwrites(value):
                    convert_to_messages(cast("Any", value if isinstance(value, list) else [value]))
            except (SchemaError, ValueError, TypeError, NotImplementedError, KeyError) as error:
                cause = error.__cause__ or error
                raise InvalidUpdate(f"The field {name!r} does not take this value: {cause}.", "Correct it.") from error

    @cached_property
    def _adapters(self) -> dict[str, TypeAdapter[Any]]:
        hints = get_type_hints(self.state, include_extras=True)
        return {name: TypeAdapter(hints[name]) for name in self.state.model_fields if name != "messages"}

    @cached_property
    def _reduced(self) -> frozenset[str]:
        fields = self.state.model_fields.items()
        return frozenset(name for name, info in fields if any(callable(each) for each in info.metadata))


def _overwrites(value: Any) -> bool:
    return isinstance(value, dict) and "__overwrite__" in value
