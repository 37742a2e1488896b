"""What the steps ask of the outside world; adapters answer, `build_graph` binds."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any, ParamSpec, Protocol, TypeVar

from langchain_core.messages import AIMessage, BaseMessage
from langchain_core.messages.tool import ToolCall

from ninefold.state import Entry, MemoryKind, MemoryRecord, MemoryStatus, Said, Turn

Schema = Mapping[str, Any]
"""A JSON schema, or a tool in the function-calling form of OpenAI."""

Ask = Callable[[Mapping[str, Any]], object]
"""Puts a question to the person and gives the answer; the turn waits, also across processes."""

P = ParamSpec("P")
T = TypeVar("T")


class InThread(Protocol):
    """Runs a blocking call in a thread, to its end even when the caller is cancelled."""

    async def __call__(self, call: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        """Give what the call gives."""
        ...


class TokenCounter(Protocol):
    """Counts what a prompt costs; never fewer tokens than the server will."""

    @property
    def name(self) -> str:
        """What counts, in words for a trace."""
        ...

    @property
    def exact(self) -> bool:
        """True when the count equals the server's."""
        ...

    def text(self, text: str) -> int:
        """Give the tokens of a bare text."""
        ...

    def message(self, message: BaseMessage) -> int:
        """Give what a message adds to a rendered prompt."""
        ...

    def prompt(self, messages: Sequence[BaseMessage], tools: Sequence[Schema] = ()) -> int:
        """Give the tokens of the whole rendered prompt, tools and reply primer included."""
        ...

    def overhead(self, tools: Sequence[Schema] = ()) -> int:
        """Give `prompt(messages, tools)` less the sum of `message(m)`, for prompts that begin with a system message."""
        ...

    def clip(self, text: str, limit: int, *, tail: bool = False) -> str:
        """Give the longest head, or tail, of the text that has at most `limit` tokens."""
        ...


class Archive(Protocol):
    """One thread's history: append-only, read by key."""

    def record(self, turn: Turn, messages: Sequence[tuple[Entry, BaseMessage]]) -> None:
        """Keep originals under their turn and sequence; writing the same again changes nothing.

        Raises:
            StorageError: the store failed; nothing may leave the window then.
        """
        ...

    def original(self, entry: Entry) -> BaseMessage | None:
        """Give the original of a window message, or None when it was forgotten on request."""
        ...

    def expand(self, reference: str) -> str:
        """Give the whole original text behind a reference.

        Raises:
            ReferenceNotFound: no such reference in this thread.
        """
        ...

    def cached(self, key: str) -> str | None:
        """Give a prepared text by its content address, or None."""
        ...

    def cache(self, key: str, text: str) -> None:
        """Keep a prepared text under its content address."""
        ...


class Past(Protocol):
    """One thread's archived turns on the branch that this turn stands on, found by their words.

    Raises StorageError when the archive fails.
    """

    def matching(
        self,
        query: str,
        *,
        limit: int,
        without: Collection[str] = (),
        between: tuple[float, float] | None = None,
        replies: bool = False,
    ) -> tuple[Said, ...]:
        """Give the messages of earlier turns that hold the query's words, or stand beside such, best first.

        Args:
            query: what is looked for.
            limit: how many at most.
            without: turns that need not be found, by id.
            between: only what was said from one moment to before another, in seconds since 1970, whatever its words.
            replies: the assistant's words are wanted as much as the person's.
        """
        ...


class MemoryStore(Protocol):
    """One place of memories for many people; every call names the person, exactly.

    Every method raises MemoryStoreError when the store fails, EmbedderMismatch when it belongs to another embedder.
    """

    @property
    def embedder(self) -> str:
        """The stamp of the embedding model; stored with each record."""
        ...

    @property
    def min_score(self) -> float:
        """The embedder's own threshold, as cosine similarity."""
        ...

    def by_kind(self, user: str, kinds: Sequence[MemoryKind]) -> tuple[MemoryRecord, ...]:
        """Give the active memories of these kinds by filter, newest first; no embedding is made."""
        ...

    def search(
        self, user: str, query: str, *, limit: int, kinds: Sequence[MemoryKind] = ()
    ) -> tuple[tuple[MemoryRecord, float], ...]:
        """Give the active memories nearest to the query with their cosine, best first."""
        ...

    def matching(
        self, user: str, query: str, *, limit: int, kinds: Sequence[MemoryKind] = ()
    ) -> tuple[tuple[MemoryRecord, float], ...]:
        """Give the active memories that share words with the query, best first, with how much of it each holds.

        The score is 0 where nothing is shared and about 1 where everything is; no embedding is made.
        """
        ...

    def nearest(
        self, user: str, texts: Sequence[str], *, limit: int
    ) -> tuple[tuple[tuple[MemoryRecord, float], ...], ...]:
        """Give `search` for several texts in one batch, over every kind."""
        ...

    def write(self, records: Sequence[MemoryRecord]) -> None:
        """Insert or replace records by id, in one batch."""
        ...

    def get(self, user: str, ids: Sequence[str]) -> tuple[MemoryRecord, ...]:
        """Give the person's records of these ids, in any status."""
        ...

    def of_turns(self, user: str, turns: Sequence[str]) -> tuple[MemoryRecord, ...]:
        """Give what the person said in these turns, in any status, oldest first."""
        ...

    def records(self, user: str, *, status: MemoryStatus | None = None) -> tuple[MemoryRecord, ...]:
        """Give all of the person's records, oldest first."""
        ...

    def delete(self, user: str, ids: Sequence[str]) -> int:
        """Remove the person's records of these ids and give how many there were."""
        ...


class Chat(Protocol):
    """The model that answers; every call carries num_ctx and the reserve.

    Raises the ModelUnavailable family; nothing else.
    """

    @property
    def tools(self) -> Sequence[Schema]:
        """The tools that are bound, as the server is sent them."""
        ...

    def reply(self, prompt: Sequence[BaseMessage], *, num_predict: int) -> AIMessage:
        """Give the model's reply to a prompt."""
        ...

    async def areply(self, prompt: Sequence[BaseMessage], *, num_predict: int) -> AIMessage:
        """Give the model's reply to a prompt, cancellable at once."""
        ...


class Assistant(Protocol):
    """The model behind the internal calls: the chat model itself, or a light one."""

    @property
    def shares_prefix(self) -> bool:
        """True when it is the chat model on the same server: a call must then be a tail of the chat's last prompt."""
        ...

    @property
    def num_ctx(self) -> int:
        """The tokens of one call, prompt and reply together."""
        ...

    def complete(
        self, prompt: Sequence[BaseMessage], *, purpose: str, num_predict: int, schema: Schema | None = None
    ) -> str:
        """Give the text of an internal completion; it is never streamed to the caller.

        Raises the ModelUnavailable family.
        """
        ...


class CancellableAssistant(Assistant, Protocol):
    """An assistant whose work ends when nobody waits for it any more."""

    async def acomplete(
        self, prompt: Sequence[BaseMessage], *, purpose: str, num_predict: int, schema: Schema | None = None
    ) -> str:
        """Complete as `complete` does; cancelling the task ends the server's work."""
        ...


class Toolbox(Protocol):
    """The tools a model may call."""

    @property
    def names(self) -> frozenset[str]:
        """The names of the bound tools."""
        ...

    def run(self, call: ToolCall) -> str:
        """Run one call and give its result as text; a failing tool's error is its result.

        The call's id is the idempotency key.
        """
        ...

    async def arun(self, call: ToolCall) -> str:
        """Run one call, cancellable where the tool is."""
        ...
