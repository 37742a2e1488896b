"""What must hold of every request that left for the model, read from its bytes."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from langchain_core.embeddings import Embeddings
from langchain_core.tools import BaseTool

from ninefold import build_graph, history
from ninefold.adapters.tokens.template import render
from ninefold.policies.constraint_layer import read_constraints
from ninefold.policies.neutralise import anchors
from ninefold.state import FidelitySettings, Language
from ninefold.state.turn_state import TurnState
from tests.turn.agents import Agent, Body, config, from_wire, server_count, settings, system_text
from tests.wire.server import Script, WireServer

CONTROL = re.compile(r"<\|im_start\|>|<\|im_end\|>|<\|endoftext\|>")


@contextmanager
def agent_with(
    folder: Path,
    replies: Script = (),
    *,
    tools: Sequence[BaseTool] = (),
    embeddings: Embeddings | None = None,
    default: str = "OK.",
    model_name: str | None = None,
    num_predict: int | None = None,
    veto: bool = False,
    **options: Any,
) -> Iterator[Agent]:
    """Give an agent as `agent` does, with an embedder, another model, a reserve or the model's veto as well."""
    with WireServer(replies, count=server_count, default=default) as wire:
        chosen = settings(wire.url, folder, **options)
        model: Mapping[str, object] = {
            **({"model_name": model_name} if model_name else {}),
            **({"num_predict": num_predict} if num_predict else {}),
        }
        chosen = chosen.model_copy(
            update={"fidelity": FidelitySettings(model=veto), "model": chosen.model.model_copy(update=dict(model))}
        )
        yield Agent(build_graph(chosen, tools=tools, embeddings=embeddings), wire, chosen)


def counted(body: Body) -> int:
    """Give what the server counts of a request's prompt."""
    return server_count(body["messages"], body.get("tools") or ())


def over_the_window(body: Body) -> str:
    """Give why a request may not have been sent: its limits are missing or prompt and reply exceed the window."""
    options = body["options"]
    if "num_ctx" not in options or "num_predict" not in options:
        return f"no limits: {options}"
    prompt = counted(body)
    room = options["num_ctx"] - prompt
    return "" if 0 < options["num_predict"] <= room else f"{prompt} + {options['num_predict']} > {options['num_ctx']}"


def rendered(body: Body) -> str:
    """Give the text that the model reads: the template over the request."""
    return render([from_wire(message) for message in body["messages"]], body.get("tools") or ())


def opened_roles(body: Body) -> list[str]:
    """Give the roles that are opened in what the model reads, the reply's included."""
    return re.findall(r"<\|im_start\|>(\w*)", rendered(body))


def roles_due(body: Body) -> list[str]:
    """Give the roles that the request's messages open, as the server joins neighbours, and the reply's."""
    names = ["user" if m["role"] == "tool" else str(m["role"]) for m in body["messages"]]
    kinds = [str(m["role"]) for m in body["messages"]]
    kept = [name for place, name in enumerate(names) if place == 0 or kinds[place] != kinds[place - 1]]
    return [*kept, "assistant"]


def texts(body: Body) -> list[str]:
    """Give each message's text, tool calls as the model reads them included."""
    return [f"{m.get('content', '')}{m.get('tool_calls', '')}" for m in body["messages"]]


def layer(body: Body, language: Language) -> tuple[str, ...]:
    """Read the session's constraints back from a request."""
    label = anchors(language).constraints
    assert system_text(body).count(label) == 1
    return read_constraints(system_text(body).partition(f"{label}\n")[2].split("\n\n")[0])


def spoken(a: Agent, thread: str = "t1") -> list[str]:
    """Give every text of a thread as `history` keeps it."""
    return [str(message.text) for message in history(a.graph, config(thread))]


def state_of(a: Agent, thread: str = "t1") -> TurnState:
    """Give a thread's state, typed."""
    return TurnState.model_validate(a.values(thread))


def events(a: Agent, kind: str, thread: str = "t1") -> list[Any]:
    """Give the last turn's events of one kind."""
    return [event for event in a.values(thread)["trace"] if event.kind == kind]
