"""One person's turns on one thread, as the things that happen while they run."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, cast

from langchain_core.messages import AIMessage, AIMessageChunk, BaseMessage
from langgraph.types import Command

from ninefold.state import Constraint, MemoryStoreError, NinefoldError, View

from .happenings import Asked, Ended, Happening, Told, Written
from .lines import HISTORY, scrub

if TYPE_CHECKING:
    from pathlib import Path

    from langchain_core.runnables import RunnableConfig

    from ninefold.graph.between_turns import Compaction, Restored
    from ninefold.graph.forgetting import Forgotten
    from ninefold.graph.guard import TurnGraph

CONFLICT = "constraint_conflict"


class Conversation:
    """Takes turns on a thread of a graph.

    Args:
        graph: what `build_graph` gives.
        thread: the thread's id.
        user: whose thread it is.
        num_ctx: the window that a prompt and its reply share, in tokens.
        folder: the data folder, whose kept lines lose what is forgotten.
    """

    def __init__(self, graph: TurnGraph, thread: str, user: str, *, num_ctx: int, folder: Path) -> None:
        self.graph = graph
        self.num_ctx = num_ctx
        self.folder = folder
        self.thread = thread
        self.user = user
        self.config: RunnableConfig = {"configurable": {"thread_id": thread, "user_id": user}}

    def say(self, text: str) -> AsyncGenerator[Happening, None]:
        """Take a turn with the person's message."""
        return self._run({"messages": [{"role": "user", "content": text}]})

    def retry(self) -> AsyncGenerator[Happening, None]:
        """Go on with the turn that was not finished, from where it stands."""
        return self._run(None)

    def decide(self, answers: Mapping[str, str]) -> AsyncGenerator[Happening, None]:
        """Go on with the answer to each conflict, by its id: replace, keep or this_turn."""
        return self._run(Command(resume=dict(answers)))

    def pin(self, words: str | None) -> Constraint:
        """Make words hold for the session; None takes the person's last message."""
        from ninefold.graph.between_turns import pin

        return pin(self.graph, self.config, words)

    def end(self, what: str) -> Constraint:
        """Let a constraint hold no longer, named by its id or its words."""
        from ninefold.graph.ending import end

        return end(self.graph, self.config, what)

    def compact(self, focus: str) -> Compaction:
        """Compact the window now."""
        from ninefold.graph.between_turns import compact

        return compact(self.graph, self.config, focus)

    def undo(self) -> Restored:
        """Take the last compaction back."""
        from ninefold.graph.between_turns import undo

        return undo(self.graph, self.config)

    async def prepare(self) -> bool:
        """Make the next cut's summary ahead; cancelling ends the model's work."""
        from ninefold.graph.preparing import aprepare

        return await aprepare(self.graph, self.config)

    def forget(self, what: str) -> Forgotten:
        """Forget words, or what stands under an id, everywhere."""
        from ..forgetting import forget

        return forget(self.graph, self.user, what, self.folder, thread=self.thread)

    def state(self) -> Mapping[str, Any]:
        """Give the state's values as they are stored."""
        return cast("Mapping[str, Any]", self.graph.get_state(self.config).values)

    def constraints(self) -> tuple[tuple[Constraint, ...], MemoryStoreError | None]:
        """Give the constraints that hold now, whatever another thread replaced since.

        Where the memories cannot be asked for that, it is the thread's own, and why.
        """
        from ninefold.graph.in_force import constraints_in_force

        try:
            return constraints_in_force(self.graph, self.config), None
        except MemoryStoreError as error:
            return tuple(self.state().get("constraints", ())), error

    def view(self) -> View | None:
        """Give the last prompt, layer by layer."""
        return cast("View | None", self.state().get("view"))

    def pending(self) -> Asked | None:
        """Give the question that waits for an answer, if there is one."""
        return _asked(self.graph.get_state(self.config).interrupts)

    def unfinished(self) -> bool:
        """Tell whether the last turn still has steps to take."""
        return bool(self.graph.get_state(self.config).next)

    async def _run(self, given: Any) -> AsyncGenerator[Happening, None]:
        """Stream a run; closing the iterator or cancelling the task stops the model."""
        last: Mapping[str, Any] = {}
        # What a turn that broke off was asked to forget goes before this one begins.
        waiting = (await self.graph.aget_state(self.config)).values.get("forgetting", ())
        texts = dict.fromkeys(await self._told_with(waiting))
        async for mode, data in self.graph.astream(given, self.config, stream_mode=["messages", "custom", "values"]):
            match mode:
                case "messages":
                    message = cast("tuple[BaseMessage, Any]", data)[0]
                    if isinstance(message, AIMessage | AIMessageChunk) and str(message.text):
                        yield Written(message.id or "", str(message.text))
                case "custom":
                    yield Told(cast("Mapping[str, Any]", data))
                case _:
                    last = cast("Mapping[str, Any]", data)
                    if not texts.keys() >= {*last.get("forgetting", ())}:
                        texts |= dict.fromkeys(await self._told_with(last["forgetting"]))
        asked = _asked(last.get("__interrupt__", ()))
        # What could not be forgotten yet waits in the state for the next turn, and so does its line.
        gone = not texts or not (await self.graph.aget_state(self.config)).values.get("forgetting", ())
        if texts and gone and asked is None:
            await asyncio.to_thread(scrub, self.folder / HISTORY, tuple(texts))
        yield asked or Ended(_reply(last), last.get("outcome"), tuple(texts) if gone else ())

    async def _told_with(self, texts: Sequence[str]) -> Sequence[str]:
        """Give texts that are to be forgotten with their secrets; a store that fails is said by the turn."""
        from ninefold.graph.forgetting import told_with

        try:
            return await asyncio.to_thread(told_with, self.graph, self.user, texts) if texts else ()
        except NinefoldError:
            return texts


def _asked(interrupts: Any) -> Asked | None:
    """Give the conflicts of the interrupts that are ours."""
    payloads = [getattr(interrupt, "value", None) for interrupt in interrupts or ()]
    ours = [payload for payload in payloads if isinstance(payload, Mapping) and payload.get("kind") == CONFLICT]
    conflicts = tuple(conflict for payload in ours for conflict in payload["conflicts"])
    return Asked(conflicts) if conflicts else None


def _reply(values: Mapping[str, Any]) -> AIMessage | None:
    messages = values.get("messages") or [None]
    last = messages[-1]
    return last if isinstance(last, AIMessage) and not last.tool_calls else None
