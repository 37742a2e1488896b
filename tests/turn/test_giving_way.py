"""What gives way goes in steps of several; together no more goes than must."""

from __future__ import annotations

from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, ToolMessage

from ninefold.adapters.tokens import for_model
from ninefold.policies.assemble import Material, assemble
from ninefold.policies.render import as_sent
from ninefold.state import AgentSettings, Entry, Language, LayerName, ModelSettings, Summary

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
