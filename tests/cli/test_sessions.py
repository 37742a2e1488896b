"""`ninefold sessions` in processes of its own: forked, renamed, deleted, carried away, and honest about damage."""

from __future__ import annotations

import json
import re
import shlex
import sqlite3
import stat
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

from ninefold.cli import run
from ninefold.graph.locks import FileLocks, hold
from ninefold.home import CHECKPOINTS
from ninefold.memories import memory_of
from ninefold.sessions import fork_session, list_sessions, opened, transcript
from ninefold.sessions.place import lock_key
from ninefold.state import AgentSettings, EmbeddingSettings, MemoryKind, MemoryRecord, StorageError, StorageSettings
from tests.cli.shell import Shell
from tests.turn.agents import agent
from tests.wire.server import WireServer

TURNS = ("不要用红色。", "密码：hunter2222，请记下。", "还有别的吗？")


class Ended(NamedTuple):
    """How a command ended."""

    returncode: int
    stdout: str
    stderr: str


AGENT = "agent:\n  memory: off\n  storage: {lock_timeout: 0.5}\n"


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """A data folder with the session `work` of three turns."""
    with agent(tmp_path, ["一。", "二。", "三。"], memory=False) as talking:
        for words in TURNS:
            talking.say(words, "work", "local")
    (tmp_path / "agent.yaml").write_text(AGENT, encoding="utf-8")
    return tmp_path


@pytest.fixture
def wire() -> Iterator[WireServer]:
    with WireServer() as server:
        yield server


Sessions = Callable[..., Ended]


@pytest.fixture
def sessions(
    home: Path, wire: WireServer, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Sessions:
    """Runs `ninefold sessions` in this process: what needs one of its own takes a Shell."""
    monkeypatch.setenv("OLLAMA_HOST", wire.url)

    def command(*arguments: str, home: Path = home) -> Ended:
        monkeypatch.setenv("NINEFOLD_HOME", str(home))
        code = run(["sessions", *arguments])
        shown = capsys.readouterr()
        return Ended(code, str(shown.out), str(shown.err))

    return command


def without_memory(home: Path) -> tuple[str, str]:
    return "--agent", str(home / "agent.yaml")


def test_a_fork_goes_on_from_its_turn_and_leaves_the_other_as_it_was(
    home: Path, wire: WireServer, sessions: Sessions
) -> None:
    shell, quiet = Shell(home, wire.url), without_memory(home)
    forked = shell.run("sessions", "fork", "work", "--turn", "2", "--as", "try", "--lang", "en")
    assert (forked.returncode, forked.stdout) == (0, "try goes on from turn 2 of work: ninefold chat --thread try\n")
    assert shell.run("chat", "--thread", "try", "--say", "改天吧。", *quiet).stdout == "OK.\n"
    listed = {each["thread"]: each for each in json.loads(sessions("list", "--json").stdout)}
    assert {name: (each["turns"], each["words"]) for name, each in listed.items()} == {
        "try": (3, "改天吧。"),
        "work": (3, TURNS[2]),
    }
    assert listed["work"]["tokens"] > 0
    assert listed["work"]["compactions"] == 0
    shown = sessions("show", "try", "--lang", "en").stdout.split("\n\n")
    assert shown[0] == f"you: {TURNS[0]}"
    assert shown[2:] == [f"you: {TURNS[1]}", "agent: 二。", "you: 改天吧。", "agent: OK.", ""]
    refused = sessions("fork", "work", "--turn", "9", "--as", "no", "--lang", "zh")
    assert (refused.returncode, refused.stdout) == (1, "")
    assert refused.stderr == "会话 work 不能回到第 9 轮。可以回到的轮次：1–3。\n"


def test_a_session_is_renamed_and_deleted_with_its_lock_and_its_memories_stay(
    home: Path, wire: WireServer, sessions: Sessions
) -> None:
    memory = memory_of(AgentSettings(embeddings=EmbeddingSettings(base_url=wire.url)), home)
    assert memory is not None
    at = "2026-01-01T00:00:00+08:00"
    memory.write(
        [MemoryRecord(id="m1", user="local", kind=MemoryKind.FACT, text="端口", created=at, thread="work", turn="1")]
    )
    assert sessions("rename", "work", "../新 名").returncode == 0
    assert [record.thread for record in memory.records("local")] == ["../新 名"]
    assert sessions("show", "work", "--lang", "en").stderr.startswith("There is no session work.")
    assert TURNS[0] in sessions("show", "../新 名").stdout
    deleted = sessions("delete", "../新 名", "--lang", "en")
    assert deleted.stdout.startswith("../新 名 is deleted, with 3 archived turns.")
    assert list((home / "locks").iterdir()) == []
    assert len(memory.records("local")) == 1
    assert sessions("vacuum", "--lang", "en").stdout.startswith("The databases take 0.0 MB")
    kept = b"".join(file.read_bytes() for file in home.glob("*.sqlite*"))
    assert TURNS[0].encode() not in kept


def test_a_session_is_carried_to_another_folder_with_its_memories_and_without_its_secrets(
    home: Path, wire: WireServer, sessions: Sessions, tmp_path_factory: pytest.TempPathFactory
) -> None:
    def records(folder: Path) -> list[MemoryRecord]:
        memory = memory_of(AgentSettings(embeddings=EmbeddingSettings(base_url=wire.url)), folder)
        assert memory is not None
        return [*memory.records("local")]

    memory = memory_of(AgentSettings(embeddings=EmbeddingSettings(base_url=wire.url)), home)
    assert memory is not None
    at = "2026-01-01T00:00:00+08:00"
    record = MemoryRecord(
        id="m1", user="local", kind=MemoryKind.FACT, text="端口是 18443", created=at, thread="work", turn="1"
    )
    memory.write([record, record.model_copy(update={"id": "m2", "thread": "other"})])
    file, elsewhere = home / "work.jsonl", tmp_path_factory.mktemp("elsewhere")
    there = Shell(elsewhere, wire.url)
    said = sessions("export", "work", "--out", str(file), "--lang", "en").stdout
    assert said == f"work is in {file}, secrets masked.\n"
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert "hunter2222" not in file.read_text(encoding="utf-8")
    assert "hunter2222" in sessions("export", "work", "--with-secrets").stdout
    taken = there.run("sessions", "import", str(file), "--lang", "en")
    assert taken.stdout == "work: 3 turns, 1 new memory. Go on with: ninefold chat --thread work\n"
    assert [(each.id, each.text, each.thread) for each in records(elsewhere)] == [("m1", "端口是 18443", "work")]
    assert there.run("chat", "--thread", "work", "--say", "端口是多少？").stdout == "OK.\n"
    prompt = "\n".join(message["content"] for message in wire.chats[-1]["messages"])
    assert TURNS[0] in prompt
    assert "密码：[***]" in prompt
    again = sessions("import", str(file), "--lang", "zh", home=elsewhere)
    assert (again.returncode, again.stdout) == (1, "")
    assert again.stderr.startswith("已经有会话 work。")


def test_while_a_turn_runs_a_session_is_shown_and_not_changed(home: Path, wire: WireServer, sessions: Sessions) -> None:
    shell, quiet = Shell(home, wire.url), without_memory(home)
    with hold("elsewhere", lock_key("work"), FileLocks(home / "locks"), 5):
        refused = shell.run("sessions", "delete", "work", *quiet)
        shown = sessions("show", "work", *quiet)
    assert refused.returncode == 1
    assert "Another turn has held the thread 'work' for 0.5 s." in refused.stderr
    assert TURNS[0] in shown.stdout


def damage(home: Path, change: str) -> None:
    with sqlite3.connect(home / CHECKPOINTS) as database:
        last = "SELECT max(checkpoint_id) FROM checkpoints WHERE thread_id = 'work'"
        database.execute(f"UPDATE checkpoints SET {change} WHERE checkpoint_id = ({last})")


def test_after_damage_the_last_good_turn_is_named_and_the_named_command_goes_on_from_it(
    home: Path, wire: WireServer, sessions: Sessions
) -> None:
    shell, quiet = Shell(home, wire.url), without_memory(home)
    damage(home, "checkpoint = substr(checkpoint, 1, length(checkpoint) / 2)")
    failed = shell.run("chat", "--thread", "work", "--say", "还在吗？", *quiet)
    assert (failed.returncode, failed.stdout) == (1, "")
    assert "\nThe session 'work' cannot be read: the checkpoint of its turn 3 is damaged" in failed.stderr
    assert "Traceback" not in failed.stderr
    (command,) = re.findall(r"`ninefold (sessions fork .*?) --as NEW`", failed.stderr)
    assert shell.run(*shlex.split(command), "--as", "saved", *quiet).returncode == 0
    assert shell.run("chat", "--thread", "saved", "--say", "还在吗？", *quiet).stdout == "OK.\n"
    listed = json.loads(sessions("list", "--json").stdout)
    assert {each["thread"]: (each["turns"], each["damaged"]) for each in listed} == {
        "saved": (3, False),
        "work": (2, True),
    }
    assert TURNS[2] in sessions("show", "work").stdout


@pytest.mark.parametrize(
    "change",
    ["checkpoint = x''", "checkpoint = x'c1', type = 'msgpack'", "checkpoint = x'80', type = 'msgpack'"],
    ids=["empty", "noise", "another value"],
)
def test_every_kind_of_damage_is_named(home: Path, change: str) -> None:
    damage(home, change)
    settings = AgentSettings(storage=StorageSettings(folder=str(home)), memory="off")
    with opened(settings) as place:
        with pytest.raises(StorageError, match="fork work --turn 2 --as NEW"):
            place.values("work")
        assert [session.damaged for session in list_sessions(place, "local")] == [True]
        assert fork_session(place, "work", "local", new="saved", turn=2) == 2
        assert [message.text for message in transcript(place, "saved", "local")][-1] == "二。"


def test_the_documented_functions_run_as_they_stand(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    page = (Path(__file__).parents[2] / "docs" / "sessions.md").read_text(encoding="utf-8")
    (code,) = re.findall(r"```python\n(.*?)```", page, re.DOTALL)
    monkeypatch.setenv("NINEFOLD_HOME", str(home))
    exec(code, {})
    with opened() as place:
        assert [session.thread for session in list_sessions(place, "local")] == ["work", "third-try"]
