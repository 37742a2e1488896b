"""A process that dies between a write and its checkpoint doubles nothing when the turn is taken again (BUG-46)."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.crash.harness import Death, in_fork, left, said, take_turn
from tests.crash.parts import Watch

WORDS = {
    "zh": ("我喜欢喝绿茶。以后都用人民币报价。", "谢谢。"),
    "en": ("I like green tea. From now on always quote prices in euros.", "Thank you."),
}


def one_death(folder: Path, text: str, name: str) -> Death:
    """Give the first call of a port in a turn that is not killed."""
    folder.mkdir()
    calls: list[str] = in_fork(take_turn, folder, Watch(), "turn-1", said(text))
    return Death(calls.index(name), "after", name)


@pytest.mark.parametrize("language", WORDS)
@pytest.mark.parametrize(
    "name", ["memory_write: memory.write", "memory_write: archive.batch", "model_call: chat.reply"]
)
def test_after_a_write_without_its_checkpoint_there_is_one_of_each(tmp_path: Path, language: str, name: str) -> None:
    text, then = WORDS[language]
    death = one_death(tmp_path / "quiet", text, name)
    (tmp_path / "turn").mkdir()
    watch = Watch(death.at, death.side)
    assert in_fork(take_turn, tmp_path / "turn", watch, "turn-1", said(text)) is None, "it lived"

    in_fork(take_turn, tmp_path / "turn", Watch(), "turn-1", said(text))
    expected = in_fork(left, tmp_path / "quiet")
    after = in_fork(left, tmp_path / "turn")
    assert after == expected
    assert [line for line in after["window"] if line.startswith("human")] == [f"human: {text}"]
    assert len([line for line in after["window"] if line.startswith("ai")]) == 1
    assert after["archive"] == after["window"]
    assert len(after["memories"]) == len(set(after["memories"])) > 0

    in_fork(take_turn, tmp_path / "turn", Watch(), "turn-1", said(text))
    assert in_fork(left, tmp_path / "turn") == expected, "the same call again is the same turn"
    in_fork(take_turn, tmp_path / "turn", Watch(), "turn-2", said(then))
    assert in_fork(left, tmp_path / "turn")["turns"] == 2
