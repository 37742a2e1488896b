"""The tools of one turn: the agent's own, with what they work on, and the caller's."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextvars import ContextVar
from dataclasses import dataclass
from datetime import datetime

from langchain_core.messages.tool import ToolCall
from langchain_core.tools import BaseTool

from ninefold.adapters.tools.own import Memories, ToolContext, own_tools
from ninefold.adapters.tools.toolbox import LangChainToolbox
from ninefold.nodes.ports import Archive, MemoryStore, Toolbox
from ninefold.policies.forget_texts import any_of
from ninefold.policies.notes import note
from ninefold.policies.recall import CANDIDATES, Limits, looked_up
from ninefold.policies.references import parts
from ninefold.state import Language, MemoryRecord, ToolName
from ninefold.state.turn_state import TurnState


class Tools:
    """Every tool that an agent's model may call.

    Args:
        names: the agent's own.
        given: the caller's.
        memory: what memory_write and memory_search work on.
        clock: what get_current_time tells.

    Raises:
        SettingsError: two tools share a name.
    """

    def __init__(
        self,
        names: Sequence[ToolName],
        given: Sequence[BaseTool],
        memory: MemoryStore | None,
        clock: Callable[[], datetime],
    ) -> None:
        self._memory = memory
        self._clock = clock
        self.shown: tuple[BaseTool, ...] = (*own_tools(names, _context.get), *given)
        """The tools as a model is shown them; the agent's own run only through `of`."""
        self._toolbox = LangChainToolbox(self.shown)

    def of(self, state: TurnState, archive: Archive, thread: str) -> Toolbox:
        """Give the tools as one turn may call them."""
        assert state.turn is not None
        turn = state.turn

        def noted(content: str, kind: str) -> MemoryRecord | None:
            return note(content, kind, user=turn.user, thread=thread, turn=turn.id, at=turn.at, sequence=turn.number)

        forgotten = any_of(state.forgetting)

        def find(memory: Memories, query: str) -> list[MemoryRecord]:
            records = looked_for(memory, turn.user, query, turn.at)
            return [each for each in records if not forgotten(each.text) and not forgotten(each.description)]

        context = ToolContext(
            user=turn.user,
            language=state.language or Language.ENGLISH,
            memory=self._memory,
            now=self._clock,
            expand=archive.expand,
            parts=parts,
            find=find,
            note=noted,
        )
        return _InTurn(self._toolbox, context)


def looked_for(memory: Memories, user: str, query: str, at: str) -> list[MemoryRecord]:
    """Give a person's memories that a question finds, by the rules of a recall, best first.

    Args:
        memory: where they are kept.
        user: whose they are.
        query: what is looked for.
        at: the present: ISO 8601 with offset.
    """
    return looked_up(
        memory.search(user, query, limit=CANDIDATES),
        memory.matching(user, query, limit=CANDIDATES),
        Limits(min_score=memory.min_score, top_k=CANDIDATES, tokens=0, now=at),
    )


_context: ContextVar[ToolContext] = ContextVar("what the agent's own tools work on in the turn that calls them")


@dataclass(frozen=True)
class _InTurn:
    """A toolbox whose own tools work on one turn."""

    toolbox: LangChainToolbox
    context: ToolContext

    @property
    def names(self) -> frozenset[str]:
        return self.toolbox.names

    def run(self, call: ToolCall) -> str:
        token = _context.set(self.context)
        try:
            return self.toolbox.run(call)
        finally:
            _context.reset(token)

    async def arun(self, call: ToolCall) -> str:
        token = _context.set(self.context)
        try:
            return await self.toolbox.arun(call)
        finally:
            _context.reset(token)
