"""Spoils what comes from outside, case after case: agent.yaml, session files, checkpoint bytes, model replies.

python -m tests.safety.fuzz --cases 1000

Whatever the bytes, each is taken or refused by a NinefoldError that names a cause and a next step; anything else fails
and shows the smallest case. The same number of cases is always the same cases.
"""

from __future__ import annotations

import argparse
import json
import os
import tempfile
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path
from typing import Any, NamedTuple

os.environ.setdefault("LANGGRAPH_STRICT_MSGPACK", "true")

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from ninefold.sessions import delete_session, export_session, import_session, list_sessions, opened
from ninefold.settings_file import load_settings
from ninefold.state import NinefoldError
from tests.guard.toy import on, saver_of, say, sqlite_toy
from tests.turn.agents import agent, config
from tests.wire.replies import Call, Noise

AGENT = """\
agent:
  model: {provider: ollama, model_name: "qwen2.5:14b", num_ctx: 8192, timeout: 20}
  light_model: none
  memory: "off"
  constraints:
    on_conflict: ask
  context_policy:
    recent_keep: 8
    order: stable
  storage: {history_turns: 200, lock_timeout: 60}
  tools: [get_current_time]
"""
NASTY = (
    *("agent", "model", "num_ctx", "storage", "null", "~", "-1", "1e999", "9" * 400, "!!python/object:os.system x"),
    *(
        "2020-13-45",
        "!!binary x",
        "!!int x",
        "!!float x",
        "!!timestamp x",
        "!!bool x",
        '!!int ""',
        "!!omap x",
        "!!set x",
        "1:99:99",
        "0x",
        "[" * 3000,
    ),
    *("&a", "*a", "<<: *a", "[" * 60, "{", "- ", ": ", "\t", "\x00", "\ufeff", "\U0001f600", "不要", "% ", "'", '"'),
)
REPLY = b"".join(
    json.dumps({"model": "m", "created_at": "2026-01-01T00:00:00Z", **line}).encode() + b"\n"
    for line in (
        {"message": {"role": "assistant", "content": "端口是 "}, "done": False},
        {"message": {"role": "assistant", "content": "18443"}, "done": False},
        {"message": {"role": "assistant", "content": ""}, "done": True, "done_reason": "stop", "prompt_eval_count": 9},
    )
)
CALLING = (
    json.dumps(
        {
            "model": "m",
            "message": {
                "role": "assistant",
                "content": "",
                "tool_calls": [{"function": {"name": "x", "arguments": 1}}],
            },
            "done": True,
            "done_reason": "stop",
        }
    ).encode()
    + b"\n"
)
ANY_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=6,
)


class Count(NamedTuple):
    """What became of the cases."""

    taken: int
    refused: int


class Tally:
    """Counts what is taken and what is refused by name."""

    def __init__(self) -> None:
        self._found = [0, 0]

    def of(self, use: Callable[[], object]) -> bool:
        """Tell whether it was taken; what is no NinefoldError passes through."""
        try:
            use()
        except NinefoldError as error:
            if not (error.cause and error.next_step):
                raise AssertionError("it names no cause, or no next step") from error
            self._found[1] += 1
            return False
        self._found[0] += 1
        return True

    @property
    def count(self) -> Count:
        """The figures so far."""
        return Count(*self._found)


def spoilt(data: bytes, words: tuple[str, ...] = NASTY) -> st.SearchStrategy[bytes]:
    """Give a strategy of the bytes with a few places cut out, overwritten or grown."""
    new = st.binary(max_size=6) | st.sampled_from(words).map(lambda word: word.encode("utf-8", "surrogatepass"))
    edits = st.lists(st.tuples(st.integers(0, len(data)), st.integers(0, 9), new), min_size=1, max_size=4)

    def edited(chosen: list[tuple[int, int, bytes]]) -> bytes:
        given_bytes = data
        for place, length, put in chosen:
            given_bytes = given_bytes[:place] + put + given_bytes[place + length :]
        return given_bytes

    return edits.map(edited) | st.integers(0, len(data)).map(lambda end: data[:end]) | st.binary(max_size=64)


def replaced(lines: list[str]) -> st.SearchStrategy[bytes]:
    """Give a strategy of JSON lines with one value exchanged for any other, one line left out, or two in one place."""

    def put(place: int, key: int, value: Any) -> bytes:
        line = json.loads(lines[place])
        line[sorted(line)[key % len(line)]] = value
        return "".join([*lines[:place], json.dumps(line) + "\n", *lines[place + 1 :]]).encode()

    places = st.integers(0, len(lines) - 1)
    without = places.map(lambda place: "".join([*lines[:place], *lines[place + 1 :]]).encode())
    twice = places.map(lambda place: "".join([*lines[:place], lines[place], *lines[place:]]).encode())
    return st.builds(put, places, st.integers(0, 20), ANY_JSON) | without | twice


def run(cases: int, strategy: st.SearchStrategy[bytes], use: Callable[[bytes], None]) -> None:
    """Use so many cases, the same ones each time."""
    slow = (HealthCheck.too_slow, HealthCheck.data_too_large)

    @settings(max_examples=cases, deadline=None, derandomize=True, database=None, suppress_health_check=slow)
    @given(strategy)
    def each(data: bytes) -> None:
        use(data)

    each()


def agent_files(cases: int, folder: Path) -> Count:
    """Read spoilt agent.yaml files."""
    tally, file = Tally(), folder / "agent.yaml"

    def use(data: bytes) -> None:
        file.write_bytes(data)
        tally.of(lambda: load_settings(file))

    run(cases, spoilt(AGENT.encode()), use)
    return tally.count


def session_files(cases: int, folder: Path) -> Count:
    """Take in spoilt session files; what is refused leaves nothing behind."""
    tally, file = Tally(), folder / "session.jsonl"
    with agent(folder, [Call("get_current_time", {}), "好的。"], memory=False) as told:
        told.say("不要用红色。现在几点？")
        told.say("Thanks.")
        with opened(told.settings) as place:
            lines = [*export_session(place, "t1", "ann")]

            def use(data: bytes) -> None:
                file.write_bytes(data)
                if tally.of(lambda: import_session(place, file, "ann", new="new")):
                    told.values("new")
                    delete_session(place, "new", "ann")
                assert [session.thread for session in list_sessions(place, "ann")] == ["t1"]

            run(cases, replaced(lines) | spoilt("".join(lines).encode()), use)
    return tally.count


def checkpoint_bytes(cases: int, folder: Path) -> Count:
    """Read spoilt checkpoints, and take a turn on those that can be read."""
    tally, graph = Tally(), sqlite_toy(folder)
    graph.invoke(say("一"), on())
    graph.invoke(say("two"), on())
    connection = saver_of(graph).conn
    (good,) = connection.execute("SELECT checkpoint FROM checkpoints ORDER BY checkpoint_id DESC").fetchone()
    newest = "(SELECT max(checkpoint_id) FROM checkpoints)"

    def use(data: bytes) -> None:
        connection.execute(f"UPDATE checkpoints SET checkpoint = ? WHERE checkpoint_id = {newest}", (data,))
        connection.commit()
        if tally.of(lambda: graph.get_state(on())):
            before = [row[0] for row in connection.execute("SELECT checkpoint_id FROM checkpoints")]
            tally.of(lambda: graph.invoke(say("three"), on()))
            for (row,) in connection.execute("SELECT checkpoint_id FROM checkpoints").fetchall():
                if row not in before:
                    connection.execute("DELETE FROM checkpoints WHERE checkpoint_id = ?", (row,))
            connection.execute("DELETE FROM writes")

    run(cases, spoilt(bytes(good)), use)
    return tally.count


def model_replies(cases: int, folder: Path) -> Count:
    """Take turns on a server that answers spoilt bytes; after each trouble the thread goes on."""
    tally = Tally()
    answers: list[bytes] = []

    def answer(_: Any) -> Noise | str:
        return Noise(answers[0].decode("latin-1")) if answers else "好"

    with agent(folder, answer, memory=False) as told:

        def use(data: bytes) -> None:
            answers[:] = [data]
            tally.of(lambda: told.say("端口是多少？"))
            answers.clear()
            assert told.graph.invoke({"messages": [("user", "谢谢。")]}, config())["messages"][-1].text == "好"

        run(cases, spoilt(REPLY) | spoilt(CALLING), use)
    return tally.count


TARGETS: dict[str, Callable[[int, Path], Count]] = {
    "agent.yaml": agent_files,
    "session files": session_files,
    "checkpoint bytes": checkpoint_bytes,
    "model replies": model_replies,
}


def main() -> None:
    """Spoil everything and print the counts."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--cases", type=int, default=1000)
    cases = parser.parse_args().cases
    for name, target in TARGETS.items():
        with ExitStack() as stack:
            folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
            taken, refused = target(cases, folder)
        print(f"{name}: {cases} cases; {taken} times taken, {refused} times refused by name", flush=True)


if __name__ == "__main__":
    main()
