"""What is deleted from a Chroma folder is in none of its files, neither as words nor as a vector."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from ninefold.adapters.memory.chroma import ChromaMemory
from tests.memory.bag_of_words import BagOfWords
from tests.memory.stores import STAMP, a_record

SECRET = "kiwi papaya 13900001234 榴莲蛋糕"


def vectors(folder: Path, text: str) -> int:
    """Give how often the index files hold the unit vector of a text."""
    given = np.asarray(BagOfWords().embed_query(text), dtype=np.float32)
    wanted = given / np.linalg.norm(given)
    found = 0
    for file in folder.rglob("data_level0.bin"):
        numbers = np.frombuffer(file.read_bytes(), dtype=np.float32)
        starts = np.flatnonzero(np.isclose(numbers, wanted.max(), rtol=1e-5)) - wanted.argmax()
        rows = [numbers[start : start + len(wanted)] for start in starts if start >= 0]
        found += sum(len(row) == len(wanted) and bool(np.allclose(row, wanted, atol=1e-5)) for row in rows)
    return found


@pytest.mark.parametrize("others", [0, 3, 1100])
def test_a_deleted_memory_is_in_no_file_and_the_others_are_found(tmp_path: Path, others: int) -> None:
    memory = ChromaMemory(tmp_path, BagOfWords(), STAMP)
    kept = [a_record(f"apple number{number}") for number in range(others)]
    secret = a_record(SECRET, id="m-secret")
    memory.write([secret, *kept])
    database = tmp_path / "chroma.sqlite3"
    assert SECRET.encode() in database.read_bytes()
    assert vectors(tmp_path, SECRET) == (others > 1000)
    memory.delete("ann", [secret.id])
    memory.vacuum()
    held = b"".join(file.read_bytes() for file in tmp_path.rglob("*") if file.is_file())
    assert [part for part in ("13900001234", "papaya", "kiwi", "榴莲", "蛋糕") if part.encode() in held] == []
    assert vectors(tmp_path, SECRET) == 0
    assert len(memory.records("ann")) == others
    assert len(memory.search("ann", "apple number2", limit=2)) == min(others, 2)
    memory.write([a_record("pear")])
    assert memory.search("ann", "pear", limit=1)[0][0].text == "pear"
    memory.close()
