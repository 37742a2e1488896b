"""Whatever happens to a model, in any kind of call: it is named or done without, and nothing is lost or doubled."""

from __future__ import annotations

import itertools
import os
import time
from collections.abc import Iterator, Sequence
from typing import Any, Literal

import pytest
from langchain_core.messages import AIMessage, BaseMessage

from ninefold.state import (
    InputError,
    MemoryStatus,
    ModelContextExceeded,
    ModelCutOff,
    ModelDown,
    ModelEmpty,
    ModelMissing,
    ModelRefused,
    ModelTimeout,
    ModelUnavailable,
    OutcomeStatus,
)
from tests.trouble.rig import (
    AFTER_TOOL,
    DONE,
    EMBEDDING,
    HALF,
    INTERNAL,
    PATIENCE_WITH_REAL,
    REPLIES,
    VETO,
    WRITE,
    Kind,
    Rig,
    rig,
)
from tests.wire.replies import EMPTY, Cut, Drop, EmbedReply, ErrorMidway, Fail, Hang, Load, Noise, Reply, Say, Vectors

HOST = os.environ.get("OLLAMA_HOST", "")
SERVERS = ["", HOST] if HOST else [""]
"""The scripted server; beside it a real one with qwen2.5-coder:0.5b and all-minilm, where OLLAMA_HOST names it."""
Trouble = Reply | Literal["down"]
NO_REPLY: dict[str, tuple[Trouble, type[ModelUnavailable]]] = {
    "down": ("down", ModelDown),
    "dies": (Drop(), ModelCutOff),
    "not pulled": (Fail(404), ModelMissing),
    "hangs": (Hang(5 * PATIENCE_WITH_REAL), ModelTimeout),
    "refuses": (Fail(500, "out of memory"), ModelRefused),
    "is busy": (Fail(503, "server busy, please try again"), ModelRefused),
    "ends without a word": (Cut(""), ModelCutOff),
    "is empty": (EMPTY, ModelEmpty),
    "is only space": (Say(" \n\u3000"), ModelEmpty),
    "only loads": (Load(), ModelEmpty),
    "only thinks": (Say("<think>嗯，"), ModelEmpty),
    "is noise": (Noise(), ModelRefused),
    "fails at once": (ErrorMidway("", "CUDA error"), ModelRefused),
    "has too small a context": (Fail(400, "the input exceeds the available context size"), ModelContextExceeded),
}
HALF_A_REPLY: dict[str, Reply] = {
    "is cut": Cut(HALF),
    "breaks": Cut(HALF, abruptly=True),
    "fails midway": ErrorMidway(HALF, "CUDA error"),
    "hangs midway": Hang(5 * PATIENCE_WITH_REAL, HALF),
    "is too long": Say(HALF, done_reason="length"),
}
NO_VECTORS: dict[str, EmbedReply | Literal["down"]] = {
    "down": "down",
    "dies": Drop(),
    "not pulled": Fail(404),
    "hangs": Hang(5 * PATIENCE_WITH_REAL),
    "refuses": Fail(500, "out of memory"),
    "breaks": Cut(""),
    "is noise": Noise(),
    "gives nothing": Vectors(),
    "gives an empty vector": Vectors(((),)),
    "gives another dimension": Vectors(((0.5, 0.5),)),
    "has too small a context": Fail(400, "the input length exceeds the context length"),
}
AGAIN, ELSE = "it is taken up again", "something else is said"
_threads = itertools.count()


def _named(of: tuple[Kind, str]) -> str:
    return f"{of[0]} of a real model" if of[1] else str(of[0])


@pytest.fixture(scope="module", params=itertools.product(REPLIES, SERVERS), ids=_named)
def replying(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Rig]:
    yield from _rig(request, tmp_path_factory)


@pytest.fixture(scope="module", params=itertools.product(INTERNAL, SERVERS), ids=_named)
def internal(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Rig]:
    yield from _rig(request, tmp_path_factory)


@pytest.fixture(scope="module", params=itertools.product(EMBEDDING, SERVERS), ids=_named)
def embedding(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Rig]:
    yield from _rig(request, tmp_path_factory)


def _rig(request: pytest.FixtureRequest, folders: pytest.TempPathFactory) -> Iterator[Rig]:
    kind, real = request.param
    with rig(kind, folders.mktemp("agent"), real) as made:
        yield made


def warm_thread(a: Rig) -> str:
    thread = f"t{next(_threads)}"
    for text in a.kind.warm:
        a.say(text, thread)
    return thread


def shown(messages: Sequence[BaseMessage]) -> list[tuple[str, str]]:
    return [(message.type, message.text) for message in messages]


def assert_whole(a: Rig, thread: str) -> None:
    """Every message once, each with its entry, and the archive holds the same in the same order."""
    state = a.state(thread)
    ids = [message.id for message in state.messages]
    assert len(ids) == len(set(ids))
    assert [entry.message for entry in state.entries] == ids
    archived = [message.id for message in a.archived(thread)]
    assert len(archived) == len(set(archived))
    assert [each for each in archived if each in set(ids)] == ids
    assert not any(isinstance(m, AIMessage) and not m.text and not m.tool_calls for m in state.messages)


@pytest.mark.parametrize(
    ("mode", "then"),
    [*((mode, AGAIN) for mode in NO_REPLY), *((mode, ELSE) for mode in ("down", "hangs", "refuses", "is empty"))],
)
def test_a_reply_that_never_came_is_one_named_error_and_the_turn_waits(replying: Rig, mode: str, then: str) -> None:
    a, thread = replying, warm_thread(replying)
    trouble, error = NO_REPLY[mode]
    effects = len(a.effects)
    begun = time.monotonic()
    with a.in_trouble(trouble), pytest.raises(error) as raised:
        a.say(a.kind.said, thread)
    assert time.monotonic() - begun < 3 * a.patience + 30
    assert raised.value.cause
    assert raised.value.next_step
    waiting = a.graph.get_state({"configurable": {"thread_id": thread, "user_id": f"user of {thread}"}})
    assert waiting.next == ("model_call",)
    assert error.__name__ in str(waiting.tasks[0].error)
    left = shown(a.state(thread).messages)
    assert left[0] == ("human", a.kind.said)
    assert [each for each in left[1:] if each[0] != "tool"] == ([("ai", "")] if a.kind is AFTER_TOOL else [])

    if then == AGAIN:
        reply = a.say(None, thread)
        assert shown(a.state(thread).messages) == [*left, ("ai", reply)]
    else:
        reply = a.say("那就算了。", thread)
        assert shown(a.state(thread).messages) == [*left, ("human", "那就算了。"), ("ai", reply)]
    assert a.answers(reply)
    assert a.answers(a.say("谢谢。", thread))
    assert len(a.effects) - effects == (a.kind is AFTER_TOOL)
    assert_whole(a, thread)


@pytest.mark.parametrize("mode", HALF_A_REPLY)
def test_half_a_reply_is_kept_marked_and_never_asked_for_again(replying: Rig, mode: str) -> None:
    a, thread = replying, warm_thread(replying)
    calls, effects = a.calls(), len(a.effects)
    with a.in_trouble(HALF_A_REPLY[mode]):
        half = a.say(a.kind.said, thread)
    assert half if a.real else half == HALF
    assert a.calls() == calls + 1
    state = a.state(thread)
    assert state.messages[-1].additional_kwargs["partial"] is True
    assert state.outcome is not None
    assert state.outcome.status is OutcomeStatus.DEGRADED
    assert [event.step for event in a.degraded(thread)] == [a.kind.step]
    assert a.answers(a.say("谢谢。", thread))
    assert len(a.effects) - effects == (a.kind is AFTER_TOOL)
    assert_whole(a, thread)


def test_a_prompt_that_the_server_cut_is_said(replying: Rig) -> None:
    a, thread = replying, warm_thread(replying)
    with a.in_trouble(Say(DONE, read=41)):
        assert a.answers(a.say(a.kind.said, thread))
    (event,) = a.degraded(thread)
    assert event.step is a.kind.step
    assert "41 < " in event.cause
    assert a.state(thread).counters.correction == 1
    a.say("谢谢。", thread)
    assert a.undisturbed(thread)
    assert_whole(a, thread)


@pytest.mark.parametrize("mode", [*NO_REPLY, *HALF_A_REPLY])
def test_an_internal_call_that_fails_is_done_without_and_said(internal: Rig, mode: str) -> None:
    a, thread = internal, warm_thread(internal)
    calls = a.calls()
    with a.in_trouble(NO_REPLY[mode][0] if mode in NO_REPLY else HALF_A_REPLY[mode]):
        assert a.answers(a.say(a.kind.said, thread))
    assert mode == "down" or a.calls() > calls
    assert a.kind.step in {event.step for event in a.degraded(thread)}
    after = a.state(thread)
    assert after.outcome is not None
    assert after.outcome.status is OutcomeStatus.DEGRADED
    assert bool(after.counters.compactions) is bool(a.kind.warm)
    assert HALF not in after.model_dump_json()
    a.say("谢谢。", thread)
    assert_whole(a, thread)


@pytest.mark.parametrize("reply", ["[]", '"x"', "{}", '{"supported": "no"}', "}{", "好", '{"decisions": 7}'])
def test_an_internal_reply_of_another_shape_changes_nothing(internal: Rig, reply: str) -> None:
    a, thread = internal, warm_thread(internal)
    with a.in_trouble(Say(reply)):
        assert a.answers(a.say(a.kind.said, thread))
    assert a.state(thread).constraints == ()
    assert bool(a.state(thread).counters.compactions) is bool(a.kind.warm)
    assert a.kind is not VETO or a.kind.step in {event.step for event in a.degraded(thread)}
    assert_whole(a, thread)


def test_an_internal_prompt_that_the_server_cut_can_only_find_less(internal: Rig) -> None:
    a, thread = internal, warm_thread(internal)
    with a.in_trouble(Say('{"constraints": [{"words": "不要用红色"}], "supported": true, "missing": ""}', read=7)):
        assert a.answers(a.say(a.kind.said, thread))
    assert a.state(thread).constraints == ()
    assert_whole(a, thread)


@pytest.mark.parametrize("mode", NO_VECTORS)
def test_an_embedder_that_fails_costs_the_turn_its_memories_and_no_more(embedding: Rig, mode: str) -> None:
    a, thread = embedding, warm_thread(embedding)
    with a.in_trouble(NO_VECTORS[mode]):
        assert a.answers(a.say(a.kind.said, thread))
    assert a.kind.step in {event.step for event in a.degraded(thread)}
    kept = len(a.state(thread).unwritten)
    assert kept == (1 if a.kind is WRITE else 0)
    a.say("谢谢。", thread)
    assert a.undisturbed(thread)
    assert not a.state(thread).unwritten
    assert_whole(a, thread)
    assert sorted(_memories(a, thread)) == sorted(text for text in (*a.kind.warm, *[a.kind.said] * kept))


def _memories(a: Rig, thread: str) -> list[Any]:
    from ninefold.memories import memory_of

    memory = memory_of(a.settings, a.folder)
    assert memory is not None
    return [record.text for record in memory.records(f"user of {thread}", status=MemoryStatus.ACTIVE)]


@pytest.mark.parametrize(
    ("mode", "calls"),
    [
        ("dies", 3),
        ("is busy", 3),
        ("ends without a word", 3),
        ("is empty", 2),
        ("is only space", 2),
        ("only loads", 2),
        ("only thinks", 2),
        ("hangs", 1),
        ("refuses", 1),
        ("not pulled", 1),
        ("has too small a context", 1),
    ],
)
def test_a_call_is_made_again_only_where_that_may_help_and_nothing_had_come(
    replying: Rig, mode: str, calls: int
) -> None:
    a, thread = replying, warm_thread(replying)
    before = a.calls()
    with a.in_trouble(NO_REPLY[mode][0]), pytest.raises(ModelUnavailable):
        a.say(a.kind.said, thread)
    assert a.calls() - before == calls


def test_a_server_that_comes_back_within_a_moment_is_not_noticed(replying: Rig) -> None:
    a, thread = replying, warm_thread(replying)
    with a.in_trouble("down", back_after=0.2):
        assert a.answers(a.say(a.kind.said, thread))
    assert a.undisturbed(thread)
    assert_whole(a, thread)


def test_every_request_holds_a_message_of_the_person(replying: Rig) -> None:
    a, thread = replying, warm_thread(replying)
    a.say(a.kind.said, thread)
    with pytest.raises(InputError):
        a.say("  ", thread)
    for body in a.wire.chats:
        assert any(m["role"] == "user" and m["content"].strip() for m in body["messages"])
