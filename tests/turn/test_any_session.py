"""Whatever a person says, in whatever order: the laws of the whole graph, on the bytes that left for the model."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

import pytest
from hypothesis import given
from hypothesis import strategies as st
from langchain_core.tools import tool

from ninefold import compact, history
from ninefold.policies.constraint_layer import read_constraints
from ninefold.policies.neutralise import anchors
from ninefold.state import Language
from tests.examples import examples
from tests.turn.agents import Agent, Body, agent, config, server_count
from tests.wire.replies import Call, Reply, Say

THINGS = {
    "zh": ("红色", "表格", "表情符号", "圆角", "缩写", "感叹号"),
    "en": ("red", "tables", "emojis", "footnotes", "acronyms", "metaphors"),
}
BAN = {"zh": "不要用{}。", "en": "Never use {}."}
LIFT = {"zh": "现在可以用{}了。", "en": "You can use {} again."}
TELL = {"zh": "第{n}间仓库的编号是 {code}，{filler}", "en": "Warehouse {n} has the number {code}. {filler}"}
FILLER = {"zh": "仓库靠着河，早上常有雾，屋顶是铁皮的。", "en": "It stands by the river and has a roof of tin. "}
SMALL = {"zh": "谢谢，辛苦了。", "en": "Thanks, that helps."}


class Move(NamedTuple):
    """What a person does in a turn: bans or allows a thing, tells something of a length, or has something looked up."""

    what: str
    number: int


MOVES = st.one_of(
    st.builds(Move, st.sampled_from(["ban", "lift"]), st.integers(0, 5)),
    st.builds(Move, st.just("tell"), st.integers(0, 60)),
    st.builds(Move, st.just("look"), st.integers(0, 400)),
    st.just(Move("small", 0)),
)


@pytest.mark.parametrize("language", ["zh", "en"])
@examples(4, many=100)
@given(moves=st.lists(MOVES, min_size=1, max_size=20), num_ctx=st.sampled_from([4096, 6144, 8192]))
def test_the_laws_hold_in_any_session(language: str, moves: list[Move], num_ctx: int) -> None:
    looked: list[str] = []

    @tool
    def look(place: int) -> str:
        """Look the stock of a place up."""
        rows = [
            {"row": row, "item": f"part {place}-{row}", "count": row * 7 % 90} for row in range(moves[place].number)
        ]
        looked.append(json.dumps(rows))
        return looked[-1]

    turn = 0

    def answer(body: Body) -> Reply:
        asked = body["messages"][-1]["role"] == "user"
        if moves[turn].what == "look" and asked and "format" not in body:
            return Call("look", {"place": turn})
        return Say(f"Reply {turn}. {FILLER[language]}")

    with TemporaryDirectory() as folder, agent(Path(folder), answer, tools=[look], num_ctx=num_ctx) as played:
        said: list[str] = []
        banned: list[str] = []
        for turn, move in enumerate(moves):
            said.append(_words(language, turn, move))
            _expect(banned, THINGS[language], move)
            played.wire.requests.clear()
            played.say(said[-1])
            for body in played.wire.chats:
                reply = int(body["options"]["num_predict"])
                assert server_count(body["messages"], body.get("tools") or ()) + reply <= num_ctx
                assert _paired(body["messages"])
                assert _read_back(body, language) == {BAN[language].format(it)[:-1] for it in banned}
        kept = [message.text for message in history(played.graph, config())]
        assert [words for words in (*said, *looked) if words not in kept] == []
        assert sum(text.startswith("Reply") for text in kept) == len(moves)
        _compacting_twice_is_compacting_once(played)


def _words(language: str, turn: int, move: Move) -> str:
    match move.what:
        case "ban":
            return BAN[language].format(THINGS[language][move.number])
        case "lift":
            return LIFT[language].format(THINGS[language][move.number])
        case "tell":
            filler = FILLER[language] * move.number
            return TELL[language].format(n=turn, code=3000 + turn * 37, filler=filler).strip()
        case "look":
            return {"zh": f"查一下第{turn}处的库存。", "en": f"Look up the stock of place {turn}."}[language]
        case _:
            return SMALL[language]


def _expect(banned: list[str], things: Sequence[str], move: Move) -> None:
    """Keep the list of what is forbidden, as a person would."""
    if move.what in ("ban", "lift") and (thing := things[move.number]) in banned:
        banned.remove(thing)
    if move.what == "ban":
        banned.append(things[move.number])


def _paired(messages: Sequence[Body]) -> bool:
    """Whether every call is followed by as many results as it asks for, and no result stands alone."""
    waiting = 0
    for message in messages:
        if message["role"] == "tool":
            waiting -= 1
        elif waiting:
            return False
        waiting += len(message.get("tool_calls") or ())
        if waiting < 0:
            return False
    return waiting == 0


def _read_back(body: Body, language: str) -> set[str]:
    """Give the rules that the prompt tells, in its head and beside the messages that brought them."""
    label = anchors(Language(language))
    texts = [f"\n{message.get('content', '')}" for message in body["messages"] if message["role"] in ("system", "user")]
    layers = [part for text in texts for part in text.split(f"\n{label.constraints}\n")[1:]]
    layers += texts[-1].split(f"\n{label.turn_constraints}\n")[1:]
    return {words for layer in layers for words in read_constraints(layer.split("\n\n", 1)[0])}


def _compacting_twice_is_compacting_once(played: Agent) -> None:
    before = played.values()
    first = compact(played.graph, config())
    between = played.values()
    assert first.freed >= 0
    if not first.strategies:
        assert between["messages"] == before["messages"]
    second = compact(played.graph, config())
    assert (second.strategies, second.left, second.freed) == ((), 0, 0)
    assert played.values()["messages"] == between["messages"]
