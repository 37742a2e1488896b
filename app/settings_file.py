"""An agent's definition read from a YAML file; whatever is wrong in it is named with its line and what is allowed."""

from __future__ import annotations

import difflib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, get_args

import yaml
from pydantic import BaseModel, ValidationError
from pydantic_core import ErrorDetails

from ninefold.state import AgentSettings, SettingsError

Location = tuple[int | str, ...]


class _File(BaseModel):
    """The file's root."""

    model_config = {"extra": "forbid"}

    agent: AgentSettings


def load_settings(path: str | Path, *, profile: str | None = None) -> AgentSettings:
    """Give the agent that a YAML file defines under `agent:`; what it leaves out has its profile's value or default.

    A relative `storage.folder` is taken from the file's own folder.

    Args:
        path: the file.
        profile: in place of the profile that the file names.

    Raises:
        SettingsError: the file cannot be read, is no YAML, or holds an unknown key or a wrong value.
    """
    file = Path(path)
    try:
        root, values = _parsed(_text(file))
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        raise _unreadable(file, mark.line + 1 if mark else 1, error.problem or "not YAML") from error
    except yaml.reader.ReaderError as error:
        raise _unreadable(file, 1, f"a character that YAML does not allow at position {error.position}") from error
    except (ValueError, TypeError, LookupError, AttributeError, RecursionError) as error:
        # A tag that does not fit its value, a day that does not exist, a depth without end: PyYAML names none of them.
        raise _unreadable(file, 1, f"a value or a depth that cannot be read ({error})") from error
    if root is None or not isinstance(values, dict):
        raise SettingsError(f"{file} defines no agent.", "Begin the file with `agent:` and indent its keys below.")
    if profile is not None and isinstance(values.get("agent"), dict):
        values["agent"]["profile"] = profile
    try:
        agent = _File.model_validate(_switches(values)).agent
    except ValidationError as error:
        findings = dict.fromkeys(_finding(file, root, details) for details in _telling(error, values))
        raise SettingsError("\n".join(findings), "Correct the file and start again.") from error
    except SettingsError as error:
        node, _ = _follow(root, ("agent", "profile"))
        raise SettingsError(f"{file}, line {node.start_mark.line + 1}: {error.cause}", error.next_step) from error
    return _anchored(agent, file)


def _parsed(text: str) -> tuple[yaml.Node | None, Any]:
    loader = _Loader(text)
    try:
        root = loader.get_single_node()
        return root, None if root is None else loader.construct_document(root)
    finally:
        loader.dispose()


class _Loader(yaml.SafeLoader):
    """Reads YAML's safe part; refuses what would be kept silently or never end: a key twice, an alias."""

    def compose_node(self, parent: yaml.Node | None, index: Any) -> yaml.Node | None:
        if self.check_event(yaml.AliasEvent):
            mark: Any = self.peek_event().start_mark  # type: ignore[no-untyped-call]
            raise yaml.MarkedYAMLError(problem="aliases are not allowed here", problem_mark=mark)
        node = super().compose_node(parent, index)
        if isinstance(node, yaml.MappingNode):
            seen: set[str] = set()
            for key, _ in node.value:
                if key.value in seen:
                    raise yaml.MarkedYAMLError(
                        problem=f"the key {key.value!r} a second time", problem_mark=key.start_mark
                    )
                seen.add(str(key.value))
        return node


def _text(file: Path) -> str:
    try:
        data = file.read_bytes()
    except FileNotFoundError as error:
        raise SettingsError(f"There is no file {file}.", "Name the agent's YAML file.") from error
    except OSError as error:
        raise SettingsError(f"{file} cannot be read: {error.strerror}.", "Name the agent's YAML file.") from error
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise SettingsError(f"{file}, line {line}: not UTF-8 text.", "Save the file as UTF-8.") from error


def _unreadable(file: Path, line: int, problem: str) -> SettingsError:
    advice = "Indent with spaces." if "\\t" in problem else "Correct the line and start again."
    return SettingsError(f"{file}, line {line}: {problem}.", advice)


def _switches(values: dict[Any, Any]) -> dict[Any, Any]:
    """Give the values with YAML 1.1's reading of a bare `off` undone where a switch is a word."""
    agent = values.get("agent")
    if not isinstance(agent, dict) or agent.get("memory") not in (True, False):
        return values
    return {**values, "agent": {**agent, "memory": {} if agent["memory"] else "off"}}


def _anchored(agent: AgentSettings, file: Path) -> AgentSettings:
    if agent.storage.folder is None:
        return agent
    folder = file.parent.resolve() / Path(agent.storage.folder).expanduser()
    return agent.model_copy(update={"storage": agent.storage.model_copy(update={"folder": str(folder)})})


def _telling(error: ValidationError, values: Any) -> list[ErrorDetails]:
    """Give the errors that a reader can use: of a choice between a word and a mapping, the branch that was meant."""
    told = []
    for details in error.errors(include_url=False):
        if details["type"] == "default_factory_not_called":
            # A default that depends on a key which is itself reported.
            continue
        at = [part for part in details["loc"] if isinstance(part, str) and part.startswith(("literal[", "enum["))]
        if at and isinstance(_value(values, details["loc"]), dict):
            continue
        told.append(details)
    return told


def _finding(file: Path, root: yaml.Node, details: ErrorDetails) -> str:
    """Give one sentence or two: the place, what is wrong, what is allowed."""
    node, trail = _follow(root, details["loc"])
    place, name = f"{file}, line {node.start_mark.line + 1}", ".".join(trail)
    if details["type"] == "extra_forbidden":
        allowed = _keys(trail[:-1])
        near = difflib.get_close_matches(trail[-1], allowed, 1, 0.5)
        hint = f' Did you mean "{near[0]}"?' if near else ""
        under = f' under "{".".join(trail[:-1])}"' if len(trail) > 1 else ""
        return f'{place}: unknown key "{trail[-1]}"{under}.{hint} Allowed keys: {", ".join(allowed)}.'
    if details["type"] == "missing":
        return f"{place}: {'.'.join([*trail, str(details['loc'][-1])])} is missing."
    problem = details["msg"].removeprefix("Value error, ")
    if details["type"] in {"literal_error", "enum"}:
        expected = str(details.get("ctx", {}).get("expected", ""))
        problem = f"Input should be one of {expected.replace(' or ', ', ')}"
    given = details["input"]
    shown = "" if isinstance(given, Mapping | Sequence) and not isinstance(given, str) else f", not {given!r}"
    mapping = details["type"] in {"model_type", "model_attributes_type", "dict_type"}
    if mapping:
        problem = f"keys are expected below it: {', '.join(_keys(trail))}"
    return f"{place}: {name}: {problem}{shown}."


def _follow(root: yaml.Node, location: Location) -> tuple[yaml.Node, list[str]]:
    """Give the key's node nearest to a location, and the keys on the way; names of types in it are passed over."""
    at, shown, trail = root, root, []
    for part in location:
        if isinstance(at, yaml.MappingNode):
            found = next(((key, value) for key, value in at.value if key.value == part), None)
            if found:
                shown, at = found
                trail.append(str(part))
        elif isinstance(at, yaml.SequenceNode) and isinstance(part, int) and part < len(at.value):
            shown = at = at.value[part]
            trail.append(str(part + 1))
    return shown, trail


def _value(values: Any, location: Location) -> Any:
    for part in location:
        if isinstance(values, dict) and part in values:
            values = values[part]
    return values


def _keys(trail: Sequence[str]) -> list[str]:
    """Give the keys that are allowed under a trail of keys."""
    model: type[BaseModel] = _File
    for key in trail:
        annotation = model.model_fields[key].annotation
        choices = [annotation, *get_args(annotation)]
        nested = next((c for c in choices if isinstance(c, type) and issubclass(c, BaseModel)), None)
        if nested is None:
            return []
        model = nested
    return list(model.model_fields)
