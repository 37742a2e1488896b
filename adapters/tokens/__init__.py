"""Token counters: exact for qwen2.5 behind Ollama, an upper bound for every other model."""

if __name__ != "ninefold.adapters.tokens":
    raise ImportError("`adapters` is a room of one package: import ninefold.adapters.tokens")

from .bound import BoundCounter
from .choose import for_model
from .corrected import Counter, corrected
from .qwen import QwenCounter
from .served import ServedCounter
from .template import render

__all__ = ["BoundCounter", "Counter", "QwenCounter", "ServedCounter", "corrected", "for_model", "render"]
