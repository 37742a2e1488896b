"""The settings every other test leans on are in force."""

import os
from pathlib import Path

import pytest


def test_checkpoints_are_read_strictly() -> None:
    from langgraph.checkpoint.serde import _msgpack

    assert _msgpack.STRICT_MSGPACK_ENABLED


def test_no_test_writes_to_a_persons_data_folder(tmp_path_factory: pytest.TempPathFactory) -> None:
    assert Path(os.environ["NINEFOLD_HOME"]).is_relative_to(tmp_path_factory.getbasetemp())
