"""A person's turns through the steps of the memory, on real stores; only the model's words are made up."""

from collections.abc import Sequence

from langchain_core.messages import AIMessage, AnyMessage, BaseMessage, HumanMessage

from ninefold.adapters.tokens import for_model
from ninefold.nodes.intent_check import intent_check
from ninefold.nodes.memory_retrieval import memory_retrieval
from ninefold.nodes.memory_write import memory_write
from ninefold.nodes.ports import MemoryStore
from ninefold.policies.intent import RuleIntent
from ninefold.policies.recall import DefaultRanking
from ninefold.policies.write_judge import RuleJudge
from ninefold.state import AgentSettings, Entry, Event, Fate, Recalled, StorageError, Turn, Unprocessed
from ninefold.state.turn_state import TurnState, Update


class KeptArchive:
    """An archive in a dictionary that can be told to fail."""

    def __init__(self) -> None:
        self.kept: dict[tuple[str, int], str] = {}
        self.turns: list[Turn] = []
        self.failing = False

    def record(self, turn: Turn, messages: Sequence[tuple[Entry, BaseMessage]]) -> None:
        if self.failing:
            raise StorageError("The disk is full.", "Make room.")
        self.turns.append(turn)
        self.kept.update({(entry.turn, entry.sequence): str(message.text) for entry, message in messages})

    def original(self, entry: Entry) -> BaseMessage | None:
        return None

    def expand(self, reference: str) -> str:
        return ""

    def cached(self, key: str) -> str | None:
        return None

    def cache(self, key: str, text: str) -> None: ...


class Conversation:
    """One thread of one person: say something, look at what was recalled and kept."""

    def __init__(self, memory: MemoryStore | None, *, user: str = "ann", thread: str = "t1") -> None:
        self.memory = memory
        self.user = user
        self.thread = thread
        self.archive = KeptArchive()
        self.settings = AgentSettings()
        self.state = TurnState()

    def hear(self, *messages: AnyMessage, day: int = 1) -> None:
        """Begin a turn with these messages, up to what is recalled."""
        number = self.state.turn.number + 1 if self.state.turn else 1
        turn = Turn(
            id=f"{self.thread}-{number}",
            parent=self.state.turn.id if self.state.turn else None,
            number=number,
            at=f"2026-03-{day:02}T10:00:00+08:00",
            user=self.user,
        )
        new = [message.model_copy(update={"id": f"{turn.id}.{i}"}) for i, message in enumerate(messages)]
        people = [message.id for message in new if isinstance(message, HumanMessage) and message.id]
        entries = [Entry(message=m.id or "", turn=turn.id, sequence=i, tokens=9) for i, m in enumerate(new)]
        self._take(
            Update(
                turn=turn,
                entries=(*self.state.entries, *entries),
                unprocessed=Unprocessed(memories=(*self.state.unprocessed.memories, *people)),
                recalled=(),
                intent=None,
            ),
            messages=[*self.state.messages, *new],
        )
        self._take(intent_check(self.state, policy=RuleIntent()))
        self._take(
            memory_retrieval(
                self.state,
                memory=self.memory,
                past=None,
                settings=self.settings,
                ranking=DefaultRanking(),
                tokens=for_model("ollama", "qwen2.5:14b"),
            )
        )

    def finish(self) -> Update:
        """Write what the turn leaves behind."""
        update = memory_write(
            self.state,
            memory=self.memory,
            archive=self.archive,
            judge=RuleJudge(),
            settings=self.settings,
            thread=self.thread,
        )
        self._take(update)
        return update

    def say(self, words: str, *, reply: str = "ok", day: int = 1) -> Update:
        """Take a whole turn."""
        self.hear(HumanMessage(words), AIMessage(reply), day=day)
        return self.finish()

    def forget_window(self) -> None:
        """Let every message leave the window."""
        self._take(Update(entries=()), messages=[])

    @property
    def recalled(self) -> list[str]:
        return [memory.text for memory in self.state.recalled if memory.fate is Fate.RECALLED]

    def fate(self, text: str) -> Fate:
        return next(memory.fate for memory in self.state.recalled if memory.text == text)

    @property
    def candidates(self) -> tuple[Recalled, ...]:
        return self.state.recalled

    @property
    def events(self) -> list[Event]:
        return list(self.state.trace)

    def _take(self, update: Update, messages: list[AnyMessage] | None = None) -> None:
        fields = {name: getattr(self.state, name) for name in TurnState.model_fields}
        changed = {**fields, **update}
        if messages is not None:
            changed["messages"] = messages
        self.state = TurnState.model_validate(changed)
