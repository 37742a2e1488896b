"""Other people of the same machine: what a session leaves in the data folder is its owner's alone."""

from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest

from tests.turn.agents import agent


@pytest.mark.parametrize("umask", [0o000, 0o022])
def test_nobody_else_can_reach_a_file_of_a_session(tmp_path: Path, umask: int) -> None:
    before = os.umask(umask)
    try:
        with agent(tmp_path / "data") as a:
            a.say("我的项目端口是 18443。")
            a.say("端口是多少？")
    finally:
        os.umask(before)
    folder = tmp_path / "data"
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    for file in folder.rglob("*"):
        if file.parent == folder:
            assert not stat.S_IMODE(file.stat().st_mode) & 0o077, file
