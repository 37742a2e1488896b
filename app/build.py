"""An agent from its settings: every port made, or taken from the caller."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import datetime
from pathlib import Path

from langchain_core.embeddings import Embeddings
from langchain_core.language_models import BaseChatModel
from langchain_core.tools import BaseTool
from langgraph.checkpoint.base import BaseCheckpointSaver
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.config import get_stream_writer
from langgraph.store.base import BaseStore

from ninefold.adapters.archive import ThreadArchive
from ninefold.adapters.memory.past import Pasts
from ninefold.adapters.models.assistant import ModelAssistant
from ninefold.adapters.models.chat import ModelChat
from ninefold.adapters.tokens import ServedCounter, for_model
from ninefold.graph.build import may_run_again, turn_graph
from ninefold.graph.deferring import Deferred
from ninefold.graph.guard import Guard, TurnGraph, guard, now
from ninefold.graph.identity import DEFAULT_USER
from ninefold.graph.locks import no_outer_lock
from ninefold.graph.parts import Parts
from ninefold.graph.tools import Tools
from ninefold.nodes.ports import CancellableAssistant, MemoryStore, TokenCounter
from ninefold.state import AgentSettings, ModelSettings

from .budget import check_budget
from .first_start import resumed
from .home import data_folder
from .memories import memory_of
from .own_policies import Policies, load_policies
from .prompt_log import LoggedAssistant, LoggedChat, PromptLog
from .settings_file import load_settings
from .storage import Storage

PROMPT_READ = "prompt_read"
"""The kind of what a turn's custom stream says while an embedded model reads; no part of the trace."""


def build_graph(
    agent: str | Path | AgentSettings | None = None,
    *,
    model: BaseChatModel | None = None,
    light_model: BaseChatModel | None = None,
    embeddings: Embeddings | None = None,
    tokens: TokenCounter | None = None,
    memory: MemoryStore | None = None,
    checkpointer: BaseCheckpointSaver[str] | None = None,
    store: BaseStore | None = None,
    tools: Sequence[BaseTool] = (),
    policies: Policies | None = None,
    clock: Callable[[], datetime] | None = None,
) -> TurnGraph:
    """Give the compiled graph of an agent: invoke it, stream it, draw it, resume its sessions.

    Nothing is downloaded and no server is asked before the first turn. What is not handed in comes from the settings.

    Args:
        agent: agent.yaml's path, settings, or None for the defaults: Ollama's qwen2.5:14b, or the model and embedder
            that the data folder was begun with, as in the chat.
        model: answers; any LangChain chat model.
        light_model: serves the internal calls.
        embeddings: of the memories; its `min_score` attribute, if it has one, is the threshold of recall.
        tokens: counts; what it counts must never be under the server's count.
        memory: keeps what is worth it across sessions.
        checkpointer: keeps the state; by default SQLite in the data folder. Processes that share one keep apart by
            lock files in the data folder; an InMemorySaver needs none.
        store: keeps the archive; by default SQLite in the data folder.
        tools: the caller's own, beside those that the settings name.
        policies: in place of single built-in ones.
        clock: gives the time with its offset; turns are stamped with it.

    Raises:
        SettingsError: the settings cannot be used.
        StorageError: the data folder cannot be written; EmbedderMismatch: its memories are another embedder's.
        ModelMissing: the embedded model's weights are not on this machine.
    """
    settings = _settings(agent, policies, own_model=model is not None)
    folder = data_folder(settings)
    parts = _parts(settings, folder, model, light_model, embeddings, tokens, memory, tools, policies, clock)
    if model is None and tokens is None:
        check_budget(parts)
    storage = Storage(settings.storage, folder)
    compiled = turn_graph(parts).compile(
        checkpointer=checkpointer or storage.saver(),
        store=store or storage.store(),
        name=settings.name,
    )
    kept = _guard(parts, clock)
    locks = no_outer_lock if isinstance(checkpointer, InMemorySaver) else storage.locks()
    return guard(compiled, replace(kept, locks=locks, default_user=None if storage.shared else DEFAULT_USER))


def served_graph(
    agent: str | Path | AgentSettings | None = None, *, tools: Sequence[BaseTool] = (), policies: Policies | None = None
) -> TurnGraph:
    """Give an agent's graph without checkpointer and store, for a server that brings its own.

    Each run must name its person: the server's own sign-in does, or `user_id` in the run's `configurable`.

    Args:
        agent: agent.yaml's path, settings, or None for the defaults, as in `build_graph`.
        tools: the caller's own, beside those that the settings name.
        policies: in place of single built-in ones.

    Raises:
        SettingsError: the settings cannot be used.
    """
    settings = _settings(agent, policies)
    parts = _parts(settings, data_folder(settings), None, None, None, None, None, tools, policies, None)
    check_budget(parts)
    compiled = turn_graph(parts).compile(name=settings.name)
    kept = replace(_guard(parts, None), default_user=None, served=True, deferred=Deferred())
    return guard(compiled, kept)


def _guard(parts: Parts, clock: Callable[[], datetime] | None) -> Guard:
    settings = parts.settings
    return Guard(
        parts=parts,
        lock_timeout=settings.storage.lock_timeout,
        history_turns=settings.storage.history_turns,
        recursion_limit=_steps(settings),
        clock=clock or now,
        deferred=Deferred(may_run_again(parts)),
    )


def _settings(
    agent: str | Path | AgentSettings | None, policies: Policies | None, *, own_model: bool = False
) -> AgentSettings:
    match agent:
        case None:
            settings = resumed(AgentSettings(), data_folder(AgentSettings()), own_model=own_model)
        case AgentSettings():
            settings = agent
        case _:
            settings = load_settings(agent)
    if policies is None or policies.order is None:
        return settings
    policy = settings.context_policy.model_copy(update={"order": policies.order})
    return settings.model_copy(update={"context_policy": policy})


def _parts(
    settings: AgentSettings,
    folder: Path,
    model: BaseChatModel | None,
    light_model: BaseChatModel | None,
    embeddings: Embeddings | None,
    tokens: TokenCounter | None,
    memory: MemoryStore | None,
    tools: Sequence[BaseTool],
    policies: Policies | None,
    clock: Callable[[], datetime] | None,
) -> Parts:
    from ninefold.policies.compaction import STRATEGIES
    from ninefold.policies.intent import RuleIntent
    from ninefold.policies.recall import DefaultRanking
    from ninefold.policies.write_judge import RuleJudge

    own = load_policies(settings.policies)
    given = policies or Policies()
    chat_model = model or model_of(settings.model, folder)
    memory = memory or memory_of(settings, folder, embeddings)
    bound = Tools(settings.tools, tools, memory, clock or now)
    chat = ModelChat(
        chat_model,
        tools=bound.shown,
        num_ctx=settings.model.num_ctx if model is None else None,
        concurrency=settings.model.concurrency,
        on_progress=_tell_reading,
    )
    assistant, no_assistant = _assistant(
        settings, folder, chat_model, light_model, bound.shown, given=model is not None
    )
    log = PromptLog(folder)
    logs = settings.prompt_log
    return Parts(
        settings=settings,
        chat=LoggedChat(chat, log) if logs else chat,
        tokens=tokens or _counter(settings.model, given=model is not None),
        assistant=LoggedAssistant(assistant, log, chat.tools) if logs and assistant else assistant,
        memory=memory,
        archive=ThreadArchive,
        past=Pasts().of,
        tools=bound,
        intent=given.intent or own.intent or RuleIntent(),
        ranking=given.ranking or own.ranking or DefaultRanking(),
        judge=given.write_judge or own.write_judge or RuleJudge(),
        strategies=given.strategies or own.strategies or STRATEGIES,
        degradations=(*chat.degradations, *no_assistant),
        log=log,
    )


def _tell_reading(done: int, total: int) -> None:
    """Tell whoever streams the turn how far the model has read."""
    get_stream_writer()({"kind": PROMPT_READ, "done": done, "total": total})


def model_of(settings: ModelSettings, folder: Path) -> BaseChatModel:
    """Give the chat model of an agent's settings; no server is asked and no weights are loaded before its first call.

    Raises:
        ModelMissing: the embedded model's weights are not on this machine.
    """
    match settings.provider:
        case "ollama":
            from ninefold.adapters.models.ollama import ollama_chat

            return ollama_chat(settings)
        case "embedded":
            from ninefold.adapters.embedded.chat import EmbeddedChat
            from ninefold.adapters.weights.pull import model_file

            return EmbeddedChat(
                model_path=model_file(settings.model_name, folder),
                num_ctx=settings.num_ctx,
                num_predict=settings.num_predict,
                temperature=settings.temperature,
                threads=settings.threads or 1,
                timeout=settings.timeout,
            )


def _assistant(
    settings: AgentSettings,
    folder: Path,
    chat_model: BaseChatModel,
    light_model: BaseChatModel | None,
    tools: Sequence[BaseTool],
    *,
    given: bool,
) -> tuple[CancellableAssistant | None, tuple[str, ...]]:
    """Give the model of the internal calls, and what it cannot do; None when rules alone decide."""
    match settings.light_model:
        case _ if light_model is not None:
            made = ModelAssistant(light_model, num_ctx=settings.model.num_ctx)
        case "none":
            return None, ()
        case None if given or settings.model.provider != "ollama":
            return None, ()
        case "same" | None:
            made = ModelAssistant(
                chat_model,
                num_ctx=settings.model.num_ctx,
                shares_prefix=True,
                tools=tools,
                concurrency=settings.model.concurrency,
            )
        case ModelSettings() as light:
            made = ModelAssistant(model_of(light, folder), num_ctx=light.num_ctx, concurrency=light.concurrency)
    return made, made.degradations


def _counter(settings: ModelSettings, *, given: bool) -> TokenCounter:
    """Give the counter of the settings' model; of a model that was handed in nothing is known but an upper bound."""
    if given:
        return for_model("given", "")
    if settings.provider == "ollama":
        return ServedCounter(settings.base_url, settings.model_name)
    return for_model(settings.provider, settings.model_name)


def _steps(settings: AgentSettings) -> int:
    """Give the graph's steps that the longest turn can take: each tool round with a whole descent, and a margin."""
    policy = settings.context_policy
    return 40 + 12 * (policy.max_tool_rounds + 1) + 8 * policy.max_candidates
