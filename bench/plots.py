"""The plots of the measurements as SVG: the same figures always give the same bytes, and dark pages are thought of."""

from __future__ import annotations

import io
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import matplotlib as mpl
from cycler import cycler
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from bench.tables import MODES, Rules

COLOURS = ("#1f9e77", "#d1603d", "#5b7bd5", "#9a9a9a", "#b05fc0")
"""Of the lines and bars: each can be told from white and from black."""
STYLE: Any = {
    "svg.fonttype": "none",
    "svg.hashsalt": "ninefold",
    "axes.edgecolor": "#808080",
    "axes.prop_cycle": cycler(color=COLOURS),
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.titlesize": "medium",
    "axes.grid": True,
    "axes.axisbelow": True,
    "figure.constrained_layout.use": True,
    "grid.color": "#808080",
    "grid.alpha": 0.3,
    "legend.frameon": False,
    "lines.linewidth": 1.8,
    "xtick.color": "#808080",
    "ytick.color": "#808080",
    "xtick.labelcolor": "black",
    "ytick.labelcolor": "black",
}
DARK = """
  <style type="text/css">
   @media (prefers-color-scheme: dark) {
    text { fill: #e0e0e0 !important }
    [style*="fill: #ffffff"] { fill: #16181d !important }
   }
  </style>
"""
WIDE, HIGH = 9.0, 3.6
"""Inches of a plot."""


def by_turn(title: str, series: Mapping[str, Sequence[float]], *, unit: str = "tokens") -> str:
    """Give lines over the turns, from zero.

    Args:
        title: what stands above.
        series: for each name a value per turn.
        unit: what the values are.
    """
    with mpl.rc_context(STYLE):
        figure = Figure(figsize=(WIDE, HIGH))
        _turns(figure.subplots(), title, series, unit)
        return _svg(figure)


def fifty(result: Mapping[str, Any]) -> str:
    """Give the context by turn of the fifty turns: a plot for each language, with every system that has a window."""
    runs = result["runs"]
    with mpl.rc_context(STYLE):
        figure = Figure(figsize=(WIDE, HIGH * len(runs)))
        for axes, run in zip(_each(figure, len(runs), 1), runs, strict=True):
            systems = [each for each in run["systems"] if each["num_ctx"]]
            lines = {each["system"]: [turn["context"] for turn in each["turns"]] for each in systems}
            _turns(axes, f"{run['language']}: the prompt that each reply was written from", lines, "tokens")
        return _svg(figure)


def rules(found: Rules) -> str:
    """Give M1 as bars: for each system the share of prompts that hold every rule of turn 1, by kind of summariser."""
    with mpl.rc_context(STYLE):
        figure = Figure(figsize=(WIDE, 0.7 * len(found.systems) + 1.2))
        axes = figure.subplots()
        high = 0.8 / len(MODES)
        for number, mode in enumerate(MODES):
            places = [place + (number - 1) * high for place in range(len(found.systems))]
            axes.barh(places, [100 * each.held.get(mode, 0) for each in found.systems], height=high, label=mode)
        axes.set_yticks(range(len(found.systems)), [each.name for each in found.systems])
        axes.invert_yaxis()
        axes.set_xlim(0, 100)
        axes.set_xlabel(f"% of the prompts of {found.turns} turns that hold every rule of turn 1")
        figure.legend(*axes.get_legend_handles_labels(), loc="outside upper right", ncols=len(MODES))
        return _svg(figure)


def lengths(marks: Sequence[Mapping[str, Any]]) -> str:
    """Give what a turn costs in time and on disk, by the length of its session."""
    with mpl.rc_context(STYLE):
        figure = Figure(figsize=(WIDE, HIGH))
        time, disk = _each(figure, 1, 2)
        turns = [mark["turns"] for mark in marks]
        for name, key in (("wall", "wall_ms"), ("processor", "cpu_ms")):
            time.plot(turns, [mark[key] for mark in marks], marker="o", label=name)
        disk.plot(turns, [mark["kb"] for mark in marks], marker="o", label="on disk")
        for axes, title, unit in ((time, "a turn without its model", "ms"), (disk, "a turn on disk", "KB")):
            _grown(axes, title, unit, "turns of the session", turns)
            axes.set_ylim(bottom=0)
        return _svg(figure)


def searches(rows: Sequence[Mapping[str, Any]]) -> str:
    """Give what a search takes by how many memories one person has, the first of a process and the later ones."""
    alone = [row for row in rows if row["users"] == 1]
    with mpl.rc_context(STYLE):
        figure = Figure(figsize=(WIDE, HIGH))
        axes = figure.subplots()
        counts = [row["memories"] for row in alone]
        for name, key in (("first of a process", "first_ms"), ("later ones, median", "later_ms")):
            axes.plot(counts, [row[key] for row in alone], marker="o", label=name)
        _grown(axes, "a search, store and index included", "ms", "memories of one person", counts)
        axes.set_yscale("log")
        axes.yaxis.set_major_formatter("{x:,.0f}")
        return _svg(figure)


def _turns(axes: Axes, title: str, series: Mapping[str, Sequence[float]], unit: str) -> None:
    for name, values in series.items():
        axes.plot(range(1, len(values) + 1), values, label=name)
    axes.set_title(title, loc="left")
    axes.set_xlabel("turn")
    axes.set_ylabel(unit)
    axes.set_ylim(bottom=0)
    axes.legend()


def _grown(axes: Axes, title: str, unit: str, about: str, marks: Sequence[int]) -> None:
    axes.set_title(title, loc="left")
    axes.set_xscale("log")
    axes.set_xticks(marks, [f"{mark:,}" for mark in marks])
    axes.minorticks_off()
    axes.set_xlabel(about)
    axes.set_ylabel(unit)
    axes.legend()


def _each(figure: Figure, rows: int, columns: int) -> Iterator[Axes]:
    for place in range(rows * columns):
        yield figure.add_subplot(rows, columns, place + 1)


def _svg(figure: Figure) -> str:
    written = io.StringIO()
    figure.savefig(written, format="svg", metadata={"Date": None, "Creator": None})
    lines = [line.rstrip() for line in written.getvalue().splitlines()]
    return "\n".join([*lines, ""]).replace("</defs>", f"</defs>{DARK}", 1)
