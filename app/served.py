"""The agent for LangGraph's server, which brings its own checkpoints, archive and queue of runs: see langgraph.json."""

from __future__ import annotations

import os

from .build import served_graph

graph = served_graph(os.environ.get("NINEFOLD_AGENT"))
"""Of the file that NINEFOLD_AGENT names, or of the defaults."""
