"""What is deleted from a Chroma folder is in none of its files, neither as words nor as a vector."""

from __future__ import annotations

import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor, wait
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


HOLDING = """
import sys
from pathlib import Path
from ninefold.adapters.memory.erasing import alone

with alone(Path(sys.argv[1])):
    print("held", flush=True)
    sys.stdin.read()
"""


def test_no_index_is_written_while_another_process_empties_the_room_behind_its_rows(tmp_path: Path) -> None:
    memory = ChromaMemory(tmp_path, BagOfWords(), STAMP)
    memory.write([a_record("apple")])
    command = [sys.executable, "-c", HOLDING, str(tmp_path)]
    with (
        subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as other,
        ThreadPoolExecutor(1) as beside,
    ):
        assert other.stdout is not None
        assert other.stdout.readline() == "held\n"
        writing = beside.submit(memory.write, [a_record("pear")])
        assert not wait([writing], timeout=1).done
        other.communicate("")
        writing.result(timeout=60)
    assert [each.text for each in memory.records("ann")] == ["apple", "pear"]
    memory.close()
