"""The rooms of the policies that compact and prove import in one direction: keeping ← compaction ← proof."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

POLICIES = Path(__file__).parents[2] / "policies"


def imported(room: str) -> set[str]:
    """Give the neighbouring rooms and modules that a room's files import."""
    trees = [ast.parse(file.read_text(encoding="utf-8")) for file in (POLICIES / room).glob("*.py")]
    nodes = [node for tree in trees for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)]
    return {(node.module or "").split(".")[0] for node in nodes if node.level == 2}


@pytest.mark.parametrize(
    ("room", "above"), [("keeping", {"compaction", "proof"}), ("compaction", {"proof"}), ("constraints", {"keeping"})]
)
def test_a_room_imports_no_room_above_it(room: str, above: set[str]) -> None:
    assert imported(room)
    assert not imported(room) & above
