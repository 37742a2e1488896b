"""A compiled graph drawn without a network: Mermaid text, ASCII, SVG, PNG."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from langchain_core.runnables.graph import Graph
    from pygraphviz import AGraph

_FONT = "Helvetica,Arial,DejaVu Sans,sans-serif"
_ENDS = {"__start__": "#e8f1e4", "__end__": "#e8f1e4"}
_STEP = "#f2f0ff"


class Drawable(Protocol):
    """Anything that tells its shape as LangGraph's compiled graphs do."""

    def get_graph(self, config: Any = None, *, xray: int | bool = False) -> Graph:
        """Give nodes and edges."""
        ...


def mermaid(graph: Drawable) -> str:
    """Give the graph as Mermaid text; conditional edges are dashed, and labelled where the graph names their cases."""
    return graph.get_graph().draw_mermaid()


def ascii_art(graph: Drawable) -> str:
    """Give the graph as plain characters, dotted where an edge is conditional."""
    lines = graph.get_graph().draw_ascii().splitlines()
    return "\n".join(line.rstrip() for line in lines).strip("\n") + "\n"


def svg(graph: Drawable) -> str:
    """Give the graph as an SVG document."""
    return _drawn(graph, "svg").decode()


def png(graph: Drawable) -> bytes:
    """Give the graph as a PNG image."""
    return _drawn(graph, "png")


def mimebundle(graph: Drawable) -> dict[str, str]:
    """Give what a notebook shows of the graph: an SVG, and Mermaid text where none can be shown."""
    return {"image/svg+xml": svg(graph), "text/plain": mermaid(graph)}


def _drawn(graph: Drawable, form: str) -> bytes:
    """Give the graph as Graphviz draws it, which comes with the wheel of pygraphviz."""
    drawn = _layout(graph).draw(format=form, prog="dot")
    assert drawn is not None
    return bytes(drawn)


def _layout(graph: Drawable) -> AGraph:
    from pygraphviz import AGraph

    shape = graph.get_graph()
    drawing = AGraph(directed=True, rankdir="TB", nodesep=0.4, ranksep=0.45, bgcolor="white")
    drawing.node_attr.update(shape="box", style="rounded,filled", fontname=_FONT, fontsize=12, color="#7c6fd0")
    drawing.edge_attr.update(fontname=_FONT, fontsize=10, color="#555555")
    for name in shape.nodes:
        drawing.add_node(name, label=name.strip("_"), fillcolor=_ENDS.get(name, _STEP))
    for edge in shape.edges:
        style = "dashed" if edge.conditional else "solid"
        drawing.add_edge(edge.source, edge.target, style=style, label=str(edge.data or ""))
    return drawing
