"""A JSON result cut to its fields that matter: what the task asks about first, the call's own envelope never."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from typing import Final, NamedTuple

from .focus import key_terms, terms, weights
from .strategy import Counter
from .tree import Json, Leaf, Path, compact, leaves, pruned, render

_ENVELOPE: Final = re.compile(
    r"(?i)^(request|trace|correlation|span)_?id$|^(elapsed|latency|took|duration)(_?ms)?$|^(etag|cursor|next_page_token)$|^请求ID$|^耗时$"
)
_VERDICT: Final = re.compile(r"(?i)^(status|success|ok|code|message|msg|error|errors|状态|成功|错误码?)$")
_FINE: Final = frozenset({"success", "ok", "200", "0", "true", "none", "null", "成功", "", "[]", "{}"})
_NAMING: Final = re.compile(
    r"(?i)(^|_)(id|ids|no|number|code|sku|key|name|title|label|user|username)$|(id|name|号|名|名称|编号|标题|单号)$|^名"
)
_TELLING: Final = re.compile(
    r"(?i)status|state|amount|amt|price|cost|total|fee|balance|count|qty|quantity|date|time|due|rating|score|type|class"
    r"|available|stock|address|origin|destination|method|状态|金额|价|费|总|余额|数量|日期|时间|评分|类型|地址|库存|消费"
)
_BACKGROUND: Final = re.compile(
    r"(?i)created|updated|modified|timestamp|email|phone|fax|avatar|image|thumbnail|url|href|link|description|summary"
    r"|html|raw|meta|zip|postcode|timezone|locale|version|创建|更新|邮箱|电话|图片|链接|描述|简介"
)
_LONG_VALUE: Final = 240
"""Characters from which a value is long, and comes after shorter ones of its kind."""
EARLY: Final = 3.5
"""Weight of the first row of a list; the second has half of it."""
ALONE: Final = 2.0
"""Weight of what stands outside of all rows: it is said once and belongs to all of them."""
PROSE: Final = 3.0
"""How much later a value comes at most for its length: short facts stand before prose."""
INNER: Final = 6
FARTHEST: Final = 2.5
"""How much later an item of a list within a row comes: its place by INNER, at most so much."""
SAID_AGAIN: Final = 0.8
"""How much later a value comes that its column has shown before."""


class Extracted(NamedTuple):
    """A smaller text, and what it no longer holds."""

    text: str
    dropped: tuple[str, ...]
    """Paths of fields, or counts of lines, that were left out."""


def extract_json(text: str, *, limit: int, tokens: Counter, focus: str) -> Extracted | None:
    """Give a JSON text in at most `limit` tokens, its most wanted values first; None when it is no JSON structure."""
    tree = parsed(text)
    if tree is None:
        return None
    every = leaves(tree)
    told = [leaf for leaf in every if not _empty_or_envelope(leaf)]
    ranked = _ranked(told, focus)
    count = _fitting(tree, ranked, limit, tokens)
    shown = _shown(tree, ranked[:count])
    return Extracted(shown, dropped_paths(every, {leaf.path for leaf in ranked[:count]}))


def parsed(text: str) -> dict[str, Json] | list[Json] | None:
    """Give the structure that a text is: one JSON object or list, or one object a line; None for anything else."""
    stripped = text.strip()
    if stripped[:1] not in ("{", "["):
        return None
    try:
        tree = json.loads(stripped)
    except (ValueError, RecursionError):
        return _json_lines(stripped)
    return tree if isinstance(tree, dict | list) and tree else None


def dropped_paths(every: Sequence[Leaf], kept: set[Path]) -> tuple[str, ...]:
    """Give the columns that lost values, in their order; one that lost only some says how many."""
    lost: dict[tuple[str, ...], list[int]] = {}
    for leaf in every:
        counts = lost.setdefault(leaf.column, [0, 0])
        counts[0] += leaf.path not in kept
        counts[1] += 1
    named = [
        _column_name(column) + ("" if gone == total else f" ({gone}/{total})")
        for column, (gone, total) in lost.items()
        if gone
    ]
    return tuple(named) if len(named) <= 64 else (*named[:63], f"… +{len(named) - 63}")


def _json_lines(text: str) -> list[Json] | None:
    lines = [line for line in text.splitlines() if line.strip()]
    if len(lines) < 2:
        return None
    try:
        rows = [json.loads(line) for line in lines]
    except (ValueError, RecursionError):
        return None
    return rows if all(isinstance(row, dict) for row in rows) else None


def _empty_or_envelope(leaf: Leaf) -> bool:
    """Whether a leaf says nothing of the result: an empty value, the call's own ids and times, "success" at the top."""
    if leaf.value in (None, "", [], {}):
        return True
    key = str(leaf.path[-1])
    if leaf.rows:
        return False
    at_top = len(leaf.path) == 1
    fine = str(leaf.value).strip().lower() in _FINE
    return bool(_ENVELOPE.match(key)) or (at_top and fine and bool(_VERDICT.match(key)))


def _ranked(told: Sequence[Leaf], focus: str) -> list[Leaf]:
    """Give the leaves, most wanted first: rows the focus names, fields it names, then names, amounts, and the rest."""
    wanted = terms(focus)
    rows = _row_weights(told, wanted)
    order = {leaf.path: index for index, leaf in enumerate(told)}
    repeated = _repeated(told)
    ranks = {column: _column_rank(column, wanted) for column in {leaf.column for leaf in told}}

    def rank(leaf: Leaf) -> tuple[float, int]:
        row = max((rows.get(row, 0.0) for row in leaf.rows), default=0.0)
        text = compact(leaf.value)
        own = 2.0 if wanted & terms(text[:400]) else 0.0
        late = min(PROSE, len(text) / _LONG_VALUE) + (SAID_AGAIN if leaf.path in repeated else 0.0)
        return (ranks[leaf.column] - row - own - _early(leaf) + late, order[leaf.path])

    return sorted(told, key=rank)


def _early(leaf: Leaf) -> float:
    """Give the weight of a leaf's place: what stands outside of all rows, and what a search found first."""
    if not leaf.rows:
        return ALONE
    places = [step for step in leaf.path if isinstance(step, int)]
    return EARLY / (1 + places[0]) - min(FARTHEST, sum(places[1:]) / INNER) if places else 0.0


def _repeated(told: Sequence[Leaf]) -> frozenset[Path]:
    """Give the leaves whose column already said their value in an earlier row."""
    seen: set[tuple[tuple[str, ...], str]] = set()
    again: list[Path] = []
    for leaf in told:
        said = (leaf.column, compact(leaf.value))
        if said in seen:
            again.append(leaf.path)
        seen.add(said)
    return frozenset(again)


def _row_weights(told: Sequence[Leaf], wanted: frozenset[str]) -> dict[Path, float]:
    """Give each row's weight in the focus, 0 to 4, among the rows beside it."""
    texts: dict[Path, list[str]] = {}
    for leaf in told:
        for row in leaf.rows:
            texts.setdefault(row, [str(row[-1])] if isinstance(row[-1], str) else []).append(compact(leaf.value)[:400])
    beside: dict[Path, list[Path]] = {}
    for row in texts:
        beside.setdefault(row[:-1], []).append(row)
    weighed: dict[Path, float] = {}
    for rows in beside.values():
        found = weights(wanted, [" ".join(texts[row]) for row in rows])
        most = max(found, default=0.0)
        for row, weight in zip(rows, found, strict=True):
            weighed[row] = 4.0 * weight / most if most else 0.0
    return weighed


def _column_rank(column: tuple[str, ...], wanted: frozenset[str]) -> float:
    """Give how late a column comes, 0 to 5: named by the focus, naming, telling, plain, background."""
    names = [name for name in column if name != "*"]
    key = names[-1] if names else ""
    if any(wanted & key_terms(name) for name in names[-2:]):
        return 0.5
    if _BACKGROUND.search(key) or any(_BACKGROUND.search(name) and len(name) < 6 for name in names[:-1]):
        return 5.0
    if _NAMING.search(key):
        return 1.5
    return 2.5 if _TELLING.search(key) else 3.5


def _fitting(tree: Json, ranked: Sequence[Leaf], limit: int, tokens: Counter) -> int:
    """Give how many of the most wanted leaves fit the limit."""
    low, high = 0, len(ranked)
    while low < high:
        middle = (low + high + 1) // 2
        # A text far beyond the limit is not worth counting: a token is never more than some dozen characters.
        shown = _shown(tree, ranked[:middle])
        if len(shown) <= limit * 12 and tokens.text(shown) <= limit:
            low = middle
        else:
            high = middle - 1
    return low


def _shown(tree: Json, kept: Sequence[Leaf]) -> str:
    return render(pruned(tree, [leaf.path for leaf in kept])) if kept else ""


def _column_name(column: tuple[str, ...]) -> str:
    return "$" + "".join("[*]" if name == "*" else f".{name}" for name in column)
