"""Token counters: exact for qwen2.5 behind Ollama, an upper bound for every other model."""

from .bound import BoundCounter
from .choose import for_model
from .corrected import Counter, corrected
from .qwen import QwenCounter
from .served import ServedCounter
from .template import render

__all__ = ["BoundCounter", "Counter", "QwenCounter", "ServedCounter", "corrected", "for_model", "render"]
