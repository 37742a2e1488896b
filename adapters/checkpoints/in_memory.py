"""Prunes LangGraph's InMemorySaver by turn, as our own saver prunes itself."""

from __future__ import annotations

from langgraph.checkpoint.memory import InMemorySaver

from .lineage import TURN, in_turn_rows


def prune_in_memory(saver: InMemorySaver, thread: str, namespace: str, keep: int) -> None:
    """Keep the last checkpoint of each turn and the newest `keep` rows, and of the values only what these hold."""
    rows = saver.storage[thread][namespace]
    newest = sorted(rows, reverse=True)
    stamps = ((row, rows[row][2], saver.serde.loads_typed(rows[row][1]).get(TURN)) for row in newest)
    doomed, parents = in_turn_rows(stamps)
    for row, parent in parents:
        rows[row] = (*rows[row][:2], parent)
    kept = [row for row in newest if row not in set(doomed)]
    doomed += kept[keep:]
    if not doomed:
        return
    versions = {row: saver.serde.loads_typed(rows[row][0])["channel_versions"].items() for row in rows}
    held = {value for row in kept[:keep] for value in versions[row]}
    for row in doomed:
        del rows[row]
        saver.writes.pop((thread, namespace, row), None)
        for channel, version in versions[row] - held:
            saver.blobs.pop((thread, namespace, channel, version), None)
