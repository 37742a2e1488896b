"""Drawing shows every conditional edge, without a network."""

from __future__ import annotations

import socket
from pathlib import Path
from typing import Literal, TypedDict

import pytest
from langgraph.graph import END, START, StateGraph

from ninefold.cli import run
from ninefold.graph import drawing
from ninefold.state import Step


class State(TypedDict):
    x: int


def route(state: State) -> Literal["work", "__end__"]:
    return "work"


@pytest.fixture(autouse=True)
def _no_network(monkeypatch: pytest.MonkeyPatch) -> None:
    def connect(*arguments: object) -> None:
        raise AssertionError("a drawing opened a connection")

    monkeypatch.setattr(socket.socket, "connect", connect)


@pytest.fixture
def graph() -> drawing.Drawable:
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


@pytest.mark.parametrize("form", ["mermaid", "ascii", "svg", "png"])
def test_the_command_draws_every_step_and_needs_no_data_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, form: str
) -> None:
    monkeypatch.setenv("NINEFOLD_HOME", str(tmp_path / "none"))
    out = tmp_path / "drawing"
    assert run(["draw", "--format", form, "--out", str(out)]) == 0
    assert not (tmp_path / "none").exists()
    if form == "png":
        assert out.read_bytes().startswith(b"\x89PNG")
    else:
        assert [step for step in Step if step.value not in out.read_text()] == []


def test_the_command_shows_every_choice_with_its_targets(capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    assert run(["draw"]) == 0
    drawn = capfdbinary.readouterr().out.decode()
    choices = {tuple(line.strip("\t ;").split(" -.-> ")) for line in drawn.splitlines() if "-.->" in line}
    assert choices == {
        ("constraint_update", "conflict_confirmation"),
        ("constraint_update", "assembly"),
        ("threshold_check", "compaction"),
        ("threshold_check", "fidelity_check"),
        ("fidelity_check", "model_call"),
        ("fidelity_check", "compaction"),
        ("fidelity_check", "assembly"),
        ("fidelity_check", "__end__"),
        ("model_call", "tool_call"),
        ("model_call", "memory_write"),
    }
