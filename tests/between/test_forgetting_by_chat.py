"""A person asks in the chat to be forgotten: it is done, told truthfully, and gone when the turn is over."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from ninefold.reading import history
from ninefold.state import ConflictRule, Forgot, MemoryStoreError, StorageError
from tests.turn.agents import Agent, agent, config, whole_prompt

from .test_forgetting import files_holding

TALK = {
    "zh": (
        "我讨厌榴莲。",
        "以后推荐甜点都不要有榴莲。",
        "请忘掉我说过的榴莲。",
        "榴莲",
        "推荐一个甜点吧？",
    ),
    "en": (
        "I hate durian.",
        "From now on never suggest durian.",
        "Please forget what I said about durian.",
        "durian",
        "Any sweets?",
    ),
}


def forgot(of: Agent, thread: str = "t1") -> list[Forgot]:
    return [event for event in of.values(thread)["trace"] if isinstance(event, Forgot)]


@pytest.mark.parametrize("language", ["zh", "en"])
def test_what_is_asked_to_be_forgotten_is_gone_after_the_turn_with_the_request_and_its_reply(
    tmp_path: Path, language: str
) -> None:
    told, rule, request, word, question = TALK[language]
    with agent(tmp_path, default=f"OK: {word}.") as a:
        a.say(told)
        a.say(rule)
        a.say(question, thread="other")
        assert word in whole_prompt(a.wire.chats[-1])
        result: Any = a.graph.invoke({"messages": [{"role": "user", "content": request}]}, config())
        assert word in result["messages"][-1].text
        (note,) = result["outcome"].notes
        assert word in note
        assert result["outcome"].status == "answered"
        sent = whole_prompt(a.wire.chats[-1])
        assert note in sent
        assert sent.count(word) == 2  # in the request, and in what the model is told of it
        (event,) = forgot(a)
        assert (event.memories, event.constraints) == (2, 2)
        assert a.values()["forgetting"] == ()
        assert files_holding(tmp_path, word) == []
        for thread in ("t1", "other", "third"):
            a.say(question, thread=thread)
            assert word not in whole_prompt(a.wire.chats[-1])
        assert [m.id for m in history(a.graph, config())]


@pytest.mark.parametrize(
    ("told", "request_text", "word"),
    [
        ("我怀孕了，现在三个月。", "忘掉我说我怀孕了的事", "怀孕"),
        ("I'm pregnant, in the third month.", "Please forget me telling you that I'm pregnant.", "pregnant"),
    ],
)
def test_a_telling_is_forgotten_with_what_was_told(tmp_path: Path, told: str, request_text: str, word: str) -> None:
    with agent(tmp_path) as a:
        a.say(told)
        a.say("Hi.", thread="other")
        a.say(request_text)
        for thread in ("t1", "other"):
            a.say("Hi.", thread=thread)
            assert word not in whole_prompt(a.wire.chats[-1])
    assert files_holding(tmp_path, word) == []


async def test_it_is_the_same_in_a_streamed_turn(tmp_path: Path) -> None:
    with agent(tmp_path, default="OK.") as a:
        a.say("My address is 12 Elm Street.")
        given = {"messages": [{"role": "user", "content": "please forget my address"}]}
        async for _ in a.graph.astream(given, config()):
            pass
        assert files_holding(tmp_path, "Elm Street") == []
        assert files_holding(tmp_path, "my address") == []


@pytest.mark.parametrize(
    ("said", "words"), [("忘掉我的手机号", "没有找到"), ("forget my address", "nothing was found")]
)
def test_where_nothing_is_found_the_person_and_the_model_are_told_so(tmp_path: Path, said: str, words: str) -> None:
    with agent(tmp_path, default="OK.") as a:
        result: Any = a.graph.invoke({"messages": [{"role": "user", "content": said}]}, config())
        assert words in result["outcome"].notes[0]
        assert words in whole_prompt(a.wire.chats[-1])
        assert {"zh": "其他会话", "en": "other sessions"}["zh" if words == "没有找到" else "en"] in result[
            "outcome"
        ].notes[0]
        assert forgot(a)[0].reason.startswith("nothing here holds it")


@pytest.mark.parametrize(
    ("told", "request_", "rule", "kept", "gone"),
    [
        (
            "My address is 12 Elm Street. The pump broke before lunch.",
            "Forget my address, always answer in French.",
            "always answer in French",
            "before lunch",
            "Elm Street",
        ),
        (
            "The pump broke before lunch.",
            "Forget what I told you before, always answer in French.",
            "always answer in French",
            "before lunch",
            None,
        ),
        ("水泵在午饭以前坏了。", "忘记我以前说过的话，以后都用英文回答。", "以后都用英文回答", "午饭以前", None),
    ],
)
def test_a_rule_that_is_given_beside_a_request_holds_and_names_nothing_to_forget(
    tmp_path: Path, told: str, request_: str, rule: str, kept: str, gone: str | None
) -> None:
    with agent(tmp_path, default="OK.") as a:
        for sentence in told.split(". "):
            a.say(sentence, thread=sentence[:2])
        a.say(request_)
        assert [each.words for each in a.values()["constraints"]] == [rule]
        assert files_holding(tmp_path, kept)
        assert gone is None or files_holding(tmp_path, gone) == []


@pytest.mark.parametrize("said", ["Don't forget my birthday.", "我忘了带伞", "他说“忘掉我的地址”"])
def test_what_only_speaks_of_forgetting_forgets_nothing(tmp_path: Path, said: str) -> None:
    with agent(tmp_path, default="OK.") as a:
        a.say("My birthday is on May 3. 我的地址是苏州。")
        before = a.values()["messages"]
        a.say(said)
        assert a.values()["messages"][: len(before)] == before
        assert forgot(a) == []


@pytest.mark.parametrize(
    ("told", "ask", "texts", "later"),
    [
        ("我的地址是苏州莲花路。", "忘掉我的地址", "莲花路", "我的地址是杭州文三路。"),
        ("My address is 12 Elm Street.", "Forget my address.", "Elm Street", "My address is 99 Oak Avenue."),
    ],
)
def test_what_could_not_be_deleted_goes_before_the_next_turn_and_nothing_that_is_said_in_it(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, told: str, ask: str, texts: str, later: str
) -> None:
    with agent(tmp_path, default="OK.") as a:
        a.say(told)
        parts = a.graph._guard.parts
        memory: Any = parts.memory if parts else None
        whole = memory.delete

        def failing(*_: object) -> int:
            raise MemoryStoreError("The disk is gone.", "Plug it in.")

        memory.delete = failing
        a.say(ask)
        assert "not gone yet" in caplog.text
        assert any(texts in text for text in a.values()["forgetting"])
        assert texts not in whole_prompt(a.wire.chats[-1])
        memory.delete = whole
        a.say(later)
        assert a.values()["forgetting"] == ()
        assert files_holding(tmp_path, texts) == []
        assert later in [message.text for message in a.values()["messages"]]


@pytest.mark.parametrize("language", ["zh", "en"])
def test_nothing_is_deleted_before_it_is_noted_what_is_to_go(tmp_path: Path, language: str) -> None:
    told, _, request, word, _ = TALK[language]
    with agent(tmp_path, default="OK.") as a:
        a.say(told)
        parts = a.graph._guard.parts
        memory: Any = parts.memory if parts else None
        given = {"messages": [{"role": "user", "content": request}]}
        for part in a.graph.stream(given, config(), stream_mode="updates"):
            if "memory_retrieval" in part:
                break
        assert len(memory.records("ann")) == 1  # the turn is broken off
        a.graph.invoke(None, config())
        assert memory.records("ann") == ()
        assert a.values()["forgetting"] == ()
        assert files_holding(tmp_path, word) == []


@pytest.mark.parametrize(
    ("stuck", "rule", "told", "ask", "later"),
    [
        (
            "以后都用中文回答。我的地址是苏州莲花路。",
            "以后都用英文回答。",
            "你好",
            "忘掉我的地址",
            "我的地址是杭州文三路。",
        ),
        (
            "Always answer in English. My address is 12 Elm Street.",
            "Always answer in French.",
            "Hello",
            "Forget my address.",
            "My address is 99 Oak Avenue.",
        ),
    ],
)
def test_a_thread_that_waits_is_named_and_what_is_said_later_stays(
    tmp_path: Path, stuck: str, rule: str, told: str, ask: str, later: str
) -> None:
    with agent(tmp_path, default="OK.", on_conflict=ConflictRule.ASK) as a:
        a.say(stuck, thread="waits")
        a.graph.invoke({"messages": [{"role": "user", "content": rule}]}, config("waits"))
        assert a.graph.get_state(config("waits")).next
        a.say(told)
        a.say(ask)
        assert "waits" in a.values()["outcome"].notes[-1]
        a.say(later)
        a.say(told)
        assert later in [message.text for message in a.values()["messages"]]


class Unreadable:
    """A past whose reads fail."""

    def matching(self, *_: object, **__: object) -> tuple[()]:
        raise StorageError("The disk is gone.", "Plug it in.")


@pytest.mark.parametrize("ask", ["忘掉我说过的榴莲", "Forget what I said about 榴莲."])
def test_a_past_that_cannot_be_read_is_said_and_nothing_claimed(tmp_path: Path, ask: str) -> None:
    with agent(tmp_path, default="OK.") as a:
        a.say("好")
        parts = a.graph._guard.parts
        assert parts is not None
        object.__setattr__(parts, "past", lambda *_: Unreadable())
        result: Any = a.graph.invoke({"messages": [{"role": "user", "content": ask}]}, config())
        assert any("还没有忘记" in note or "not forgotten yet" in note for note in result["outcome"].notes)
        assert not any("nothing was" in note or "没有找到" in note for note in result["outcome"].notes)


def test_another_persons_memories_stay(tmp_path: Path) -> None:
    with agent(tmp_path, default="OK.") as a:
        a.say("I hate durian.", thread="theirs", user="bob")
        a.say("I hate durian.")
        a.say("Forget durian.")
        parts = a.graph._guard.parts
        memory: Any = parts.memory if parts else None
        assert memory.records("ann") == ()
        assert len(memory.records("bob")) == 1
        assert "durian" in history(a.graph, config("theirs", "bob"))[0].text


@pytest.mark.parametrize(
    ("told", "request_", "word", "later"),
    [
        ("我讨厌榴莲。", "忘掉我说过的榴莲", "榴莲", "继续。"),
        ("I hate durian.", "Forget what I said about durian.", "durian", "Go on."),
    ],
)
def test_a_request_whose_turn_broke_off_is_heard_by_the_next_turn(
    tmp_path: Path, told: str, request_: str, word: str, later: str
) -> None:
    with agent(tmp_path, default="OK.") as a:
        a.say(told)
        parts = a.graph._guard.parts
        memory: Any = parts.memory if parts else None
        whole = memory.delete

        def breaking(*given: Any) -> int:
            whole(*given)
            raise RuntimeError("the power went")

        memory.delete = breaking
        with pytest.raises(RuntimeError):
            a.say(request_)
        memory.delete = whole
        a.say(later)
        assert a.values()["forgetting"] == ()
        assert files_holding(tmp_path, word) == []
