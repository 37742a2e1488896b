"""What a graph is made of: the ports and policies that its steps are given."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from langgraph.store.base import BaseStore

from ninefold.nodes.ports import Archive, CancellableAssistant, Chat, MemoryStore, Past, TokenCounter
from ninefold.policies.compaction import Strategy
from ninefold.policies.forgetting import Holds
from ninefold.policies.intent import IntentPolicy
from ninefold.policies.prompt_files import prompt
from ninefold.policies.recall import Ranking
from ninefold.policies.write_judge import WriteJudge
from ninefold.state import AgentSettings, Language

from .tools import Tools

ArchiveOf = Callable[[BaseStore, str], Archive]
"""Gives a thread's archive in a store; a server may bring a store of its own for each call."""


PastOf = Callable[[BaseStore, str, Sequence[str]], Past]
"""Gives what was said earlier on a branch of a thread; the branch is named by its newest turns."""


class Log(Protocol):
    """What was noted down beside the sessions."""

    def forget(self, thread: str, holds: Holds) -> int:
        """Take out every entry of a thread that holds words to be forgotten, and give how many there were."""
        ...


@dataclass(frozen=True, kw_only=True)
class Parts:
    """The ports and policies of one agent."""

    settings: AgentSettings
    chat: Chat
    tokens: TokenCounter
    assistant: CancellableAssistant | None
    memory: MemoryStore | None
    archive: ArchiveOf
    past: PastOf
    tools: Tools
    intent: IntentPolicy
    ranking: Ranking
    judge: WriteJudge
    strategies: Sequence[Strategy]
    degradations: Sequence[str] = field(default=())
    """What this agent's model cannot do, said once at the beginning of a thread."""
    log: Log | None = None
    """Of prompts; what is forgotten is forgotten there too."""

    def fixed(self, language: Language) -> str:
        """Give the text of the fixed layer."""
        return fixed_text(self.settings, language)


def fixed_text(settings: AgentSettings, language: Language) -> str:
    """Give the agent's own system prompt, or the one that comes with the package for its model."""
    return settings.system_prompt or prompt("system_small" if settings.model.small else "system", language)
