"""A turn that is killed at a port call is the turn that was never killed, in Postgres as in files (`tests/crash`)."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from tests.crash.harness import SECOND, Death, difference, in_fork, left, said, take_turn
from tests.crash.parts import POSTGRES, Side, Watch

DEATHS: list[tuple[str, Side]] = [
    ("between: checkpoint.put", "after"),
    ("model_call: chat.reply", "after"),
    ("tool_call: tool.stock", "after"),
    ("memory_write: archive.batch", "before"),
    ("memory_write: memory.write", "after"),
    ("memory_write: archive.batch", "after"),
]


def turn(folder: Path, url: str, watch: Watch) -> Any:
    folder.mkdir(exist_ok=True)
    (folder / POSTGRES).write_text(url)
    return in_fork(take_turn, folder, watch, "turn-1", said(SECOND))


def test_a_killed_turn_that_is_resumed_loses_nothing_and_doubles_nothing(
    tmp_path: Path, postgres: Callable[[], str]
) -> None:
    calls: list[str] = turn(tmp_path / "quiet", postgres(), Watch())
    expected = in_fork(left, tmp_path / "quiet")
    assert expected["window"][-1].startswith("ai: 查到了")
    for number, (name, side) in enumerate(DEATHS):
        death = Death(calls.index(name), side, name)
        folder, url = tmp_path / str(number), postgres()
        assert turn(folder, url, Watch(death.at, death.side)) is None, f"it lived {death}"
        turn(folder, url, Watch())
        assert difference(in_fork(left, folder), expected, death) == "", str(death)
