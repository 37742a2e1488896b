"""Calls with their results: no result without its call before it, no call without its result behind it."""

from __future__ import annotations

from collections.abc import Sequence

from langchain_core.messages import AIMessage, BaseMessage, ToolMessage

from ninefold.state import Missing


def unpaired(messages: Sequence[BaseMessage]) -> tuple[Missing, ...]:
    """Give the results that no call before them asked for, and the calls that no result behind them answers."""
    open_calls: dict[str, str] = {}
    orphans: list[Missing] = []
    for message in messages:
        if isinstance(message, AIMessage):
            open_calls |= {call["id"] or "": call["name"] for call in message.tool_calls}
        elif isinstance(message, ToolMessage):
            if message.tool_call_id in open_calls:
                del open_calls[message.tool_call_id]
            else:
                orphans.append(Missing(kind="call", span=message.tool_call_id[:400], source=message.id))
    return (*orphans, *(Missing(kind="result", span=f"{name} {id_}"[:400]) for id_, name in open_calls.items()))
