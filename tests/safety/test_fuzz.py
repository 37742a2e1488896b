"""Whatever comes from outside is taken or refused by name; `make fuzz` spoils it far more often."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.safety.fuzz import TARGETS

CASES = {"agent.yaml": 150, "session files": 40, "checkpoint bytes": 60, "model replies": 25}


@pytest.mark.parametrize("name", TARGETS)
def test_what_is_spoilt_is_refused_by_name_and_nothing_else_happens(tmp_path: Path, name: str) -> None:
    taken, refused = TARGETS[name](CASES[name], tmp_path)
    assert refused > 0
    assert taken + refused >= CASES[name] // 2
