"""The notebooks run from their first cell to their last, and show what they promise."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import nbformat
import pytest
from nbclient import NotebookClient

from tests.turn.agents import server_count
from tests.wire.server import WireServer, nobody_there

FOLDER = Path(__file__).parents[2] / "notebooks"
NOTEBOOKS = sorted(FOLDER.glob("*.ipynb"))
Cell = dict[str, Any]


def _read(notebook: Path) -> Any:
    return nbformat.read(notebook, as_version=4)  # type: ignore[no-untyped-call]


def executed(notebook: Path, agent: Path) -> list[Cell]:
    """Give the code cells after a run without any way into the web."""
    book = _read(notebook)
    client = NotebookClient(book, timeout=300, resources={"metadata": {"path": str(FOLDER)}})
    web = dict.fromkeys(("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"), nobody_there())
    client.execute(env={**os.environ, **web, "NINEFOLD_AGENT": str(agent)})
    return [cell for cell in book.cells if cell.cell_type == "code"]


def shown(cell: Cell) -> str:
    """Give the text that a cell printed or ended with."""
    texts = [output.get("text") or output.get("data", {}).get("text/plain", "") for output in cell["outputs"]]
    return "".join(texts)


def cell_of(cells: list[Cell], source: str) -> Cell:
    return next(cell for cell in cells if source in cell["source"])


@pytest.fixture
def wire() -> Iterator[WireServer]:
    with WireServer(
        ["好的，用人民币。", "服务器报价人民币 3 万元。", "打印机报价人民币 2 千元。"], count=server_count
    ) as server:
        yield server


@pytest.fixture
def agent(wire: WireServer, tmp_path: Path) -> Path:
    """The file of an agent that talks to the wire."""
    settings = {"model": {"base_url": wire.url}, "embeddings": {"base_url": wire.url}, "light_model": "none"}
    file = tmp_path / "agent.yaml"
    file.write_text(json.dumps({"agent": {**settings, "storage": {"folder": "data"}}}), encoding="utf-8")
    return file


def test_it_draws_the_graph_keeps_both_rules_and_resumes(wire: WireServer, agent: Path) -> None:
    cells = executed(FOLDER / "quickstart.ipynb", agent)
    drawn = next(cell for cell in cells if cell["source"] == "graph")
    assert "image/svg+xml" in drawn["outputs"][0]["data"]
    assert "好的，用人民币。" in shown(cell_of(cells, "你好"))
    rules = "['所有金额都用人民币表示', '不要用美元']"
    assert shown(cell_of(cells, "state =")) == rules
    assert rules in shown(cell_of(cells, "del graph"))
    assert "打印机报价人民币" in shown(cell_of(cells, "打印机"))
    assert shown(cell_of(cells, "history(")).count("human: ") == 3
    assert all("不要用美元" in body["messages"][0]["content"] for body in wire.chats)
    assert len(wire.chats) == 3


def test_its_own_agent_answers_where_its_weights_are(default_weights: Path, tmp_path: Path) -> None:
    models = tmp_path / "data" / "models"
    models.mkdir(parents=True)
    (models / default_weights.name).symlink_to(default_weights)
    text = (FOLDER / "quickstart.yaml").read_text(encoding="utf-8")
    (tmp_path / "agent.yaml").write_text(f"{text}  storage: {{folder: data}}\n", encoding="utf-8")
    cells = executed(FOLDER / "quickstart.ipynb", tmp_path / "agent.yaml")
    assert shown(cell_of(cells, "打印机")).strip()
    assert shown(cell_of(cells, "history(")).count("ai: ") == 3


def test_a_turn_is_shown_step_by_step_with_its_trace_and_layers(agent: Path) -> None:
    cells = executed(FOLDER / "turn.ipynb", agent)
    updates = [line.split()[0] for line in shown(cell_of(cells, "stream_mode")).splitlines()]
    assert updates == [
        "turn_start",
        "intent_check",
        "memory_retrieval",
        "constraint_update",
        "assembly",
        "threshold_check",
        "fidelity_check",
        "model_call",
        "memory_write",
        "window_roll",
    ]
    assert "model_called" in shown(cell_of(cells, "event.kind"))
    assert "all" in shown(cell_of(cells, "layer.name"))
    assert shown(cells[-1]) == "['所有金额都用人民币表示', '不要用美元']"


def test_a_session_is_resumed_its_conflict_answered_and_an_earlier_turn_forked(agent: Path) -> None:
    cells = executed(FOLDER / "sessions.ipynb", agent)
    assert shown(cell_of(cells, "del graph")) == "['这次对话里所有金额都用人民币']"
    assert shown(cell_of(cells, "__interrupt__")) == "'这次对话里所有金额都用美元'"
    assert shown(cell_of(cells, 'resume="replace"')) == "['这次对话里所有金额都用美元']"
    assert shown(cell_of(cells, "branch =")) == "['这次对话里所有金额都用人民币。', '一台服务器多少钱？']"
    assert shown(cells[-1]) == "['这次对话里所有金额都用人民币']"


def test_fifty_turns_are_plotted_and_no_fact_is_lost_that_full_replay_loses(
    agent: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FIFTY_TURNS", "22")
    cells = executed(FOLDER / "fifty_turns.ipynb", agent)
    plots = [output["data"]["image/svg+xml"] for cell in cells for output in cell["outputs"] if "data" in output]
    assert [("ninefold" in plot, "full replay" in plot) for plot in plots] == [(True, True)] * 2
    facts = shown(cell_of(cells, "for fact in talk.facts")).splitlines()
    assert len(facts) >= 18
    assert all("ninefold: kept" in line for line in facts)
    assert "full replay: lost at 20" in next(line for line in facts if line.startswith("budget"))
    assert "lost 0 of" in shown(cells[-1]).splitlines()[0]


@pytest.mark.parametrize("notebook", NOTEBOOKS, ids=lambda path: path.name)
def test_no_output_is_committed(notebook: Path) -> None:
    code = [cell for cell in _read(notebook).cells if cell.cell_type == "code"]
    assert code
    assert all(not cell.outputs and cell.execution_count is None for cell in code)
