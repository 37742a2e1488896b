"""Tool results of any length, the same for the same seed, with the row that was asked for in their middle."""

from __future__ import annotations

import json
from collections.abc import Callable
from random import Random
from typing import Any

from ninefold.adapters.tokens import QwenCounter

from .conversation import Language, Lookup

_THINGS = {
    "zh": ("文件柜", "白板", "打印机", "茶几", "衣帽架", "投影幕", "书架", "台灯", "地毯", "饮水机", "碎纸机", "屏风"),
    "en": ("file cabinet", "whiteboard", "printer", "side table", "coat rack", "screen", "shelf", "lamp", "rug", "fan"),
}
_STATES = {"zh": ("正常", "重试成功", "连接超时", "已恢复"), "en": ("ok", "retry succeeded", "timed out", "recovered")}
_MAKES = {"zh": ("甲型", "乙型", "加厚款", "轻便款"), "en": ("type A", "type B", "heavy", "light")}


def result(lookup: Lookup, language: Language) -> str:
    """Give a lookup's result: JSON in a wrapper, a log of lines, or a table."""
    random = Random(lookup.seed)
    row, whole = _FORMS[lookup.kind]
    counter = QwenCounter()
    sample = [row(_row(random, number, language)) for number in range(20)]
    each = counter.text("\n".join(sample)) / len(sample)
    count = max(3, round(lookup.tokens / each))
    rows = sample + [row(_row(random, number, language)) for number in range(20, count)]
    rows = rows[:count]
    rows[count // 2] = row(_row(random, count // 2, language) | lookup.needle)
    return whole(rows)


def _row(random: Random, number: int, language: Language) -> dict[str, Any]:
    name = f"{random.choice(_THINGS[language])} {random.choice(_MAKES[language])}"
    return {
        "number": number,
        "name": name,
        "sku": f"RX-{random.randint(1000, 9999)}",
        "price": random.randint(40, 1300),
        "stock": random.randint(0, 90),
        "device": f"node-{random.randint(10, 99)}",
        "code": f"I{random.randint(1000, 6999)}",
        "note": random.choice(_STATES[language]),
        "time": f"{number // 3600 % 24:02}:{number // 60 % 60:02}:{number % 60:02}",
        "trace": f"{random.getrandbits(48):012x}",
    }


def _json_row(row: dict[str, Any]) -> str:
    shown = {name: row[name] for name in ("sku", "name", "price", "stock")}
    meta = {"id": row["trace"], "updated": row["time"], "source": "import", "page": row["number"] // 20}
    return json.dumps(shown | {"meta": meta}, ensure_ascii=False)


def _json(rows: list[str]) -> str:
    body = ",".join(rows)
    return f'{{"status": "success", "request": "q-{len(rows)}", "data": {{"items": [{body}]}}, "elapsed_ms": 45}}'


def _log_row(row: dict[str, Any]) -> str:
    return f"{row['time']} {row['device']} {row['code']} {row['note']} trace={row['trace']}"


def _table_row(row: dict[str, Any]) -> str:
    return f"| {row['sku']} | {row['name']} | {row['price']} | {row['stock']} |"


def _table(rows: list[str]) -> str:
    return "\n".join(["| sku | name | price | stock |", "|---|---|---|---|", *rows])


_FORMS: dict[str, tuple[Callable[[dict[str, Any]], str], Callable[[list[str]], str]]] = {
    "json": (_json_row, _json),
    "log": (_log_row, "\n".join),
    "table": (_table_row, _table),
}
