"""What the page serves: one agent, one person, and the turns that run now."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from ..console.conversation import Conversation
from ..sessions import Place
from ..wording import Wording
from .runs import Runs

if TYPE_CHECKING:
    from ninefold.graph.guard import TurnGraph
    from ninefold.graph.parts import Parts
    from ninefold.state import AgentSettings, Language

WAIT = 2.0
"""Seconds that a person waits at the page for a turn of another program before they are told."""


@dataclass(frozen=True, kw_only=True)
class Served:
    """The agent behind the page."""

    settings: AgentSettings
    graph: TurnGraph
    user: str
    place: Place
    """Where its sessions are kept."""
    language: Language | None = None
    """The one that was asked for at the start; None follows the browser."""
    runs: Runs = field(default_factory=Runs)

    @property
    def num_ctx(self) -> int:
        """The window, in tokens."""
        return self.settings.model.num_ctx

    @property
    def parts(self) -> Parts:
        """The agent's ports."""
        parts = self.graph._guard.parts
        assert parts is not None
        return parts

    def place_in(self, wording: Wording) -> Place:
        """Give where the sessions are kept, refusing in a language."""
        return replace(self.place, words=wording)

    def conversation(self, thread: str, checkpoint: str | None = None) -> Conversation:
        """Give the person's conversation on a thread, from its latest state or from an earlier checkpoint."""
        talk = Conversation(self.graph, thread, self.user, num_ctx=self.num_ctx, folder=self.place.data)
        if checkpoint is not None:
            configurable: dict[str, Any] = {**talk.config.get("configurable", {}), "checkpoint_id": checkpoint}
            talk.config = {"configurable": configurable}
        return talk


def at_a_page(settings: AgentSettings) -> AgentSettings:
    """Give the settings with a wait for a busy thread that is short enough for somebody who looks at a page."""
    wait = min(settings.storage.lock_timeout, WAIT)
    return settings.model_copy(update={"storage": settings.storage.model_copy(update={"lock_timeout": wait})})
