"""A checkpoint that somebody wrote: reading it builds nothing but plain data and messages, and runs nothing."""

from __future__ import annotations

import pickle
from pathlib import Path

import ormsgpack
import pytest
from langgraph.checkpoint.serde import jsonplus

from ninefold.adapters.checkpoints import PlainSerde


class _Runs:
    def __init__(self, file: Path) -> None:
        self.file = file

    def __reduce__(self) -> tuple[object, tuple[object, ...]]:
        return Path.touch, (self.file,)


def poison(code: int, file: Path) -> bytes:
    """The bytes by which LangGraph's serialiser would call `Path(file).touch()`, if it called whatever it is told."""
    touch: tuple[object, ...] = (
        ("os", "mkdir", (str(file),), {}) if code != jsonplus.EXT_METHOD_SINGLE_ARG else ("os", "mkdir", str(file))
    )
    return ormsgpack.packb(ormsgpack.Ext(code, ormsgpack.packb(touch)))


@pytest.mark.parametrize(
    "code",
    [
        jsonplus.EXT_CONSTRUCTOR_SINGLE_ARG,
        jsonplus.EXT_CONSTRUCTOR_POS_ARGS,
        jsonplus.EXT_CONSTRUCTOR_KW_ARGS,
        jsonplus.EXT_METHOD_SINGLE_ARG,
        jsonplus.EXT_PYDANTIC_V2,
    ],
)
@pytest.mark.parametrize("extended", [False, True])
def test_no_class_or_function_that_a_checkpoint_names_is_called(tmp_path: Path, code: int, extended: bool) -> None:
    serde = PlainSerde().with_msgpack_allowlist([("ninefold.state", "Turn")]) if extended else PlainSerde()
    serde.loads_typed(("msgpack", poison(code, tmp_path / "run")))
    assert not (tmp_path / "run").exists()


def test_a_pickle_is_never_read(tmp_path: Path) -> None:
    with pytest.raises(NotImplementedError):
        PlainSerde().loads_typed(("pickle", pickle.dumps(_Runs(tmp_path / "run"))))
    assert not (tmp_path / "run").exists()


def test_the_poison_would_work_where_everything_is_read(tmp_path: Path) -> None:
    pickle.loads(pickle.dumps(_Runs(tmp_path / "run")))
    assert (tmp_path / "run").exists()
