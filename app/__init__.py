"""ninefold: a LangGraph agent that manages its own context.

```python
from ninefold import build_graph, history

graph = build_graph()
config = {"configurable": {"thread_id": "t1", "user_id": "ann"}}
graph.invoke({"messages": [{"role": "user", "content": "Hello"}]}, config)
```
"""

if __name__ != "ninefold":  # kept by `make layout`
    raise ImportError("this folder is a part of one package: write `import ninefold`")

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ninefold.graph.between_turns import compact, pin, undo
    from ninefold.graph.ending import end
    from ninefold.graph.forgetting import forget
    from ninefold.graph.guard import TurnGraph
    from ninefold.graph.preparing import aprepare, prepare
    from ninefold.state import AgentSettings
    from ninefold.state.errors import NinefoldError

    from .build import build_graph
    from .own_policies import Policies
    from .reading import history

__all__ = [
    "AgentSettings",
    "NinefoldError",
    "Policies",
    "TurnGraph",
    "aprepare",
    "build_graph",
    "compact",
    "end",
    "forget",
    "history",
    "pin",
    "prepare",
    "undo",
]

_HOMES = {
    "AgentSettings": "ninefold.state",
    "NinefoldError": "ninefold.state.errors",
    "Policies": "ninefold.own_policies",
    "TurnGraph": "ninefold.graph.guard",
    "aprepare": "ninefold.graph.preparing",
    "build_graph": "ninefold.build",
    "compact": "ninefold.graph.between_turns",
    "end": "ninefold.graph.ending",
    "forget": "ninefold.graph.forgetting",
    "history": "ninefold.reading",
    "pin": "ninefold.graph.between_turns",
    "prepare": "ninefold.graph.preparing",
    "undo": "ninefold.graph.between_turns",
}


def __getattr__(name: str) -> Any:
    """Give a public name, importing its home only now: langgraph alone takes longer than most commands."""
    if name not in _HOMES:
        raise AttributeError(f"module 'ninefold' has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(_HOMES[name]), name)
