"""Drawing shows every conditional edge, without a network."""

from __future__ import annotations

import socket
from typing import Literal, TypedDict

import pytest
from langgraph.graph import END, START, StateGraph

from ninefold.graph import drawing


class State(TypedDict):
    x: int


def route(state: State) -> Literal["work", "__end__"]:
    return "work"


@pytest.fixture
def graph(monkeypatch: pytest.MonkeyPatch) -> drawing.Drawable:
    def no_network(*arguments: object) -> None:
        raise AssertionError("a drawing opened a connection")

    monkeypatch.setattr(socket.socket, "connect", no_network)
    builder = StateGraph(State)
    builder.add_node("check", lambda state: state)
    builder.add_node("work", lambda state: state)
    builder.add_edge(START, "check")
    builder.add_conditional_edges("check", route)
    builder.add_edge("work", "check")
    assert END == "__end__"
    return builder.compile()


def test_mermaid_dashes_conditional_edges(graph: drawing.Drawable) -> None:
    text = drawing.mermaid(graph)
    assert "check -.-> work" in text
    assert "check -.-> __end__" in text
    assert "work --> check" in text


def test_ascii_shows_every_node(graph: drawing.Drawable) -> None:
    text = drawing.ascii_art(graph)
    assert all(f"| {name} |" in text for name in ("__start__", "check", "work", "__end__"))


def test_svg_and_png_are_images(graph: drawing.Drawable) -> None:
    svg = drawing.svg(graph)
    assert svg.startswith("<?xml")
    assert svg.count("stroke-dasharray") == 2
    assert drawing.png(graph).startswith(b"\x89PNG")


def test_a_notebook_gets_an_image_and_text(graph: drawing.Drawable) -> None:
    assert set(drawing.mimebundle(graph)) == {"image/svg+xml", "text/plain"}
