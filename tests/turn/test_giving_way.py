"""What gives way goes in steps of several; together no more goes than must."""

from __future__ import annotations

from langchain_core.messages import AIMessage, AnyMessage, BaseMessage, HumanMessage, ToolMessage

from ninefold.adapters.tokens import for_model
from ninefold.nodes.assembly import assembly
from ninefold.policies.assemble import Material, assemble
from ninefold.policies.render import as_sent, render
from ninefold.state import (
    AgentSettings,
    Entry,
    Fate,
    Language,
    LayerName,
    MemoryKind,
    ModelSettings,
    Placed,
    Recalled,
    Summary,
    Turn,
)
from ninefold.state.turn_state import TurnState
from tests.compaction.session import applied_update

TOKENS = for_model("ollama", "qwen2.5:14b")
NUM_CTX, RESERVE = 2048, 512


def material(messages: list[tuple[str, BaseMessage]]) -> Material:
    return Material(
        messages=[message for _, message in messages],
        entries=[
            Entry(message=m.id or "", turn=turn, sequence=place, tokens=TOKENS.message(as_sent(m)))
            for place, (turn, m) in enumerate(messages)
        ],
        turn="now",
        constraints=(),
        summary=Summary(),
        memories=(),
        fixed="Be brief.",
        tools=(),
        language=Language.ENGLISH,
        settings=AgentSettings(model=ModelSettings(num_ctx=NUM_CTX, num_predict=RESERVE)),
    )


def turns(count: int) -> list[tuple[str, BaseMessage]]:
    return [
        (f"t{n}", message)
        for n in range(count)
        for message in (
            HumanMessage("What about it? " * (1 + n % 7), id=f"h{n}"),
            AIMessage("It is fine. " * (3 + n % 11), id=f"a{n}"),
        )
    ]


def test_of_many_turns_no_more_leave_the_view_than_must() -> None:
    given = material([*turns(120), ("now", HumanMessage("Go on.", id="now"))])
    view, _ = assemble(given, TOKENS)
    (window,) = [layer for layer in view.layers if layer.name is LayerName.WINDOW]
    sent = [piece.message for piece in window.pieces]
    left = 120 - len(sent) // 2
    assert view.gave_way == (f"window: {left}",)
    assert sent == [m.id for _, m in turns(120)[2 * left :]]
    last_out = sum(entry.tokens for entry in given.entries[2 * left - 2 : 2 * left])
    assert view.tokens <= NUM_CTX - RESERVE < view.tokens + last_out


def test_of_a_turn_with_calls_without_end_the_newest_that_fit_stay_whole() -> None:
    calls: list[tuple[str, BaseMessage]] = []
    for n in range(60):
        call = {"name": "look", "args": {"at": n}, "id": f"c{n}"}
        calls += [
            ("now", AIMessage("", tool_calls=[call], id=f"a{n}")),
            ("now", ToolMessage(f"{n}: nothing. " * 50, tool_call_id=f"c{n}", id=f"r{n}")),
        ]
    view, _ = assemble(material([("now", HumanMessage("Look everywhere.", id="h")), *calls]), TOKENS)
    (current,) = [layer for layer in view.layers if layer.name is LayerName.CURRENT]
    sent = [piece.message for piece in current.pieces]
    kept = (len(sent) - 1) // 2
    assert sent == ["h", *(id_ for n in range(60 - kept, 60) for id_ in (f"a{n}", f"r{n}"))]
    assert kept > 3
    assert view.over is None
    smallest = view.tokens // kept
    assert view.tokens <= NUM_CTX - RESERVE < view.tokens + 2 * smallest


def recall(words: int) -> TurnState:
    """Give a turn of so many words over one that placed two memories; it finds the second of them, and one more."""
    messages: list[AnyMessage] = [
        HumanMessage("What is my cabin number?", id="h1"),
        AIMessage("It is 17.", id="a1"),
        HumanMessage("wind " * words + "And my cabin number again?", id="h2"),
    ]
    earlier = (Placed(id="old", text="The harbour opens at six. " * 5), Placed(id="again", text="Cabin 17. " * 20))
    return TurnState(
        messages=messages,
        entries=tuple(
            Entry(message=m.id or "", turn=turn, sequence=0, tokens=TOKENS.message(m), placed=placed)
            for m, turn, placed in zip(messages, ("t1", "t1", "t2"), (earlier, (), ()), strict=True)
        ),
        turn=Turn(id="t2", parent="t1", number=2, at="2026-03-01T10:00:00+08:00", user="ann"),
        recalled=tuple(
            Recalled(id=id_, kind=MemoryKind.FACT, text=text, created="2026-02-01", score=0.9, fate=fate)
            for id_, text, fate in (
                ("again", "Cabin 17.", Fate.IN_VIEW),
                ("fresh", "Green tea. " * 8, Fate.RECALLED),
            )
        ),
    )


def assembled(state: TurnState) -> tuple[TurnState, str, dict[str, Fate]]:
    """Give the state after assembly, the prompt's words, and what became of each memory."""
    chosen = AgentSettings(model=ModelSettings(num_ctx=NUM_CTX, num_predict=RESERVE))
    after = applied_update(state, assembly(state, tokens=TOKENS, settings=chosen, fixed="Be brief."))
    assert after.view is not None
    sent = render(after.view, after.messages, after.entries, fixed="Be brief.", language=Language.ENGLISH)
    return after, "\n".join(message.text for message in sent), {each.id: each.fate for each in after.recalled}


def test_a_memory_that_only_an_earlier_question_asked_for_goes_before_what_this_one_found() -> None:
    _, sent, fates = assembled(recall(1320))
    assert ("harbour opens" in sent, "Cabin 17." in sent, "Green tea." in sent) == (False, True, True)
    assert fates == {"again": Fate.IN_VIEW, "fresh": Fate.RECALLED}


def test_a_memory_that_left_with_its_message_is_not_told_as_there_and_comes_back_with_room() -> None:
    full, sent, fates = assembled(recall(1440))
    assert ("Cabin 17." in sent, "Green tea." in sent) == (False, False)
    assert fates == {"again": Fate.GAVE_WAY, "fresh": Fate.GAVE_WAY}
    shorter = recall(100)
    cut = full.model_copy(update={"messages": [shorter.messages[-1]], "entries": (shorter.entries[-1],)})
    _, sent, fates = assembled(cut)
    assert ("Cabin 17." in sent, "Green tea." in sent) == (True, True)
    assert fates == {"again": Fate.RECALLED, "fresh": Fate.RECALLED}
    _, sent, fates = assembled(shorter.model_copy(update={"recalled": full.recalled}))
    assert (sent.count("Cabin 17."), fates["again"]) == (20, Fate.IN_VIEW)
