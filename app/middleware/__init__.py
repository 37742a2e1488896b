"""Ninefold's assembler and compactor as middleware for LangChain's `create_agent`.

```python
from langchain.agents import create_agent
from ninefold.middleware import ContextAssemblyMiddleware

agent = create_agent("ollama:qwen2.5:14b", tools=[...], middleware=[ContextAssemblyMiddleware(num_ctx=8192)])
```
"""

from __future__ import annotations

from ninefold.state import SettingsError

try:
    import langchain.agents.middleware  # noqa: F401
except ModuleNotFoundError as missing:
    if (missing.name or "").partition(".")[0] != "langchain":
        raise
    raise SettingsError(
        "The middleware needs LangChain's agents, which are not installed.",
        'Run `pip install "ninefold[middleware]"`.',
    ) from missing

from .context_assembly import ContextAssemblyMiddleware

__all__ = ["ContextAssemblyMiddleware"]
