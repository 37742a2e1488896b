"""A structured result as leaves, and leaves as a smaller result: rows as lines under their keys, the rest as JSON."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple, TypeAlias

Json: TypeAlias = "dict[str, Json] | list[Json] | str | int | float | bool | None"
Step: TypeAlias = str | int
Path: TypeAlias = tuple[Step, ...]


class Leaf(NamedTuple):
    """One scalar of a structure: where it stands, the column it belongs to, the rows it is part of."""

    path: Path
    column: tuple[str, ...]
    """The path with every row's own key or index as `*`."""
    rows: tuple[Path, ...]
    """The rows around it, outermost first."""
    value: Json


def leaves(tree: Json) -> list[Leaf]:
    """Give every scalar and empty container of a structure, in its order."""
    return list(_leaves(tree, (), (), ()))


def pruned(tree: Json, kept: Iterable[Path]) -> Json:
    """Give the structure with only these leaves; lists stay lists, without the elements that lost all they held."""
    wanted: dict[Step, object] = {}
    for path in kept:
        node = wanted
        for step in path[:-1]:
            inner = node.setdefault(step, {})
            assert isinstance(inner, dict)
            node = inner
        node[path[-1] if path else ""] = None
    return _take(tree, wanted) if wanted else None


def render(tree: Json, *, indent: str = "") -> str:
    """Give a structure as text: one `key: value` a line, lists of objects as a table with its keys once."""
    match tree:
        case dict():
            return "\n".join(_field(key, value, indent) for key, value in tree.items())
        case list() if is_table(tree):
            return table([row for row in tree if isinstance(row, dict)], indent)
        case list() if tree and all(isinstance(rows, list) and is_rows(rows) for rows in tree):
            return table(_numbered(tree), indent)
        case _:
            return indent + compact(tree)


def compact(tree: Json) -> str:
    """Give compact JSON, a bare string without its quotes."""
    return tree if isinstance(tree, str) else json.dumps(tree, ensure_ascii=False, separators=(",", ":"))


def is_table(tree: Json) -> bool:
    """Whether this is a list of two or more objects."""
    return isinstance(tree, list) and len(tree) > 1 and all(isinstance(row, dict) and row for row in tree)


def is_rows(tree: list[Json]) -> bool:
    """Whether this is a list of objects, of one too."""
    return bool(tree) and all(isinstance(row, dict) and row for row in tree)


class _Rows(dict[str, Json]):
    """Keyed rows that lost fields or neighbours; they stay rows."""


def is_keyed_rows(tree: Mapping[str, Json]) -> bool:
    """Whether the keys of an object are ids of rows that share their fields."""
    values = list(tree.values())
    if isinstance(tree, _Rows):
        return all(isinstance(value, dict) and value for value in values)
    if len(values) < 2 or not all(isinstance(value, dict) and value for value in values):
        return False
    fields = [set(value) for value in values if isinstance(value, dict)]
    shared = set.intersection(*fields)
    return len(shared) * 2 >= max(len(field) for field in fields)


def table(rows: list[dict[str, Json]], indent: str = "") -> str:
    """Give rows as lines of cells under their keys; a value that all rows share is said once."""
    columns = list(dict.fromkeys(name for row in rows for name in _flat(row)))
    flat = [_flat(row) for row in rows]
    shared = {
        name: flat[0][name]
        for name in columns
        if len(rows) > 2 and all(name in row and row[name] == flat[0][name] for row in flat)
    }
    varying = [name for name in columns if name not in shared]
    lines = [f"{indent}({', '.join(f'{name}={_cell(value)}' for name, value in shared.items())})"] if shared else []
    lines.append(indent + "|".join(varying))
    lines += [indent + "|".join(_cell(row[name]) if name in row else "" for name in varying) for row in flat]
    return "\n".join(lines)


def _leaves(tree: Json, path: Path, column: tuple[str, ...], rows: tuple[Path, ...]) -> Iterator[Leaf]:
    if isinstance(tree, dict) and tree:
        keyed = is_keyed_rows(tree)
        for key, value in tree.items():
            here = (*path, key)
            yield from _leaves(value, here, (*column, "*" if keyed else key), (*rows, here) if keyed else rows)
    elif isinstance(tree, list) and tree:
        for index, value in enumerate(tree):
            here = (*path, index)
            yield from _leaves(value, here, (*column, "*"), (*rows, here))
    else:
        yield Leaf(path, column, rows, tree)


def _take(tree: Json, wanted: Mapping[Step, object]) -> Json:
    if isinstance(tree, dict):
        left = {key: _below(value, wanted[key]) for key, value in tree.items() if key in wanted}
        return _Rows(left) if is_keyed_rows(tree) else left
    if isinstance(tree, list):
        return [_below(value, wanted[index]) for index, value in enumerate(tree) if index in wanted]
    return tree


def _below(tree: Json, wanted: object) -> Json:
    return _take(tree, wanted) if isinstance(wanted, dict) else tree


def _field(key: str, value: Json, indent: str) -> str:
    if isinstance(value, dict) and is_keyed_rows(value):
        return f"{indent}{key}:\n{table(_keyed(value), indent)}"
    if is_table(value) or (isinstance(value, dict) and len(compact(value)) > 100):
        return f"{indent}{key}:\n{render(value, indent=indent + ' ')}"
    return f"{indent}{key}: {compact(value)}"


def _keyed(tree: Mapping[str, Json]) -> list[dict[str, Json]]:
    """Give keyed rows with the key as their first column, without a field that only says the key again."""
    return [
        {"": name, **{field: value for field, value in inner.items() if value != name}}
        for name, inner in tree.items()
        if isinstance(inner, dict)
    ]


def _numbered(tree: list[Json]) -> list[dict[str, Json]]:
    """Give the rows of a list of lists with the number of their list as first column."""
    return [
        {"#": number, **row}
        for number, rows in enumerate(tree)
        if isinstance(rows, list)
        for row in rows
        if isinstance(row, dict)
    ]


def _flat(row: Mapping[str, Json]) -> dict[str, Json]:
    """Give a row with the scalars of its inner objects as columns `outer.inner`."""
    flat: dict[str, Json] = {}
    for key, value in row.items():
        if isinstance(value, dict) and value and all(not isinstance(v, dict | list) for v in value.values()):
            flat |= {f"{key}.{inner}": v for inner, v in value.items()}
        else:
            flat[key] = value
    return flat


def _cell(value: Json) -> str:
    if isinstance(value, list) and all(not isinstance(item, dict | list) for item in value):
        return ";".join(compact(item) for item in value)
    return compact(value).replace("\n", " ").replace("|", "\\|")
