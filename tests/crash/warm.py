"""Loaded once by the server of forks: a turn in memory alone, so that no fork reads the rules again."""

from __future__ import annotations

from langgraph.checkpoint.memory import InMemorySaver
from langgraph.store.memory import InMemoryStore

from ninefold import build_graph
from ninefold.adapters.memory.in_memory import InMemoryMemory
from ninefold.state import AgentSettings, ModelSettings
from tests.crash.harness import SECOND, config, said
from tests.crash.parts import ROOM, Scripted, Watch
from tests.memory.bag_of_words import BagOfWords

build_graph(
    AgentSettings(model=ModelSettings(num_ctx=ROOM), light_model="none"),
    model=Scripted(watch=Watch()),
    memory=InMemoryMemory(BagOfWords(), "test:bag"),
    checkpointer=InMemorySaver(),
    store=InMemoryStore(),
).invoke(said(SECOND), config("warm"))
