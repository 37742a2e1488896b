"""Sessions in Postgres are listed, forked, renamed, carried to a folder and deleted as those in files are."""

from __future__ import annotations

from pathlib import Path

from ninefold import history
from ninefold.sessions import (
    delete_session,
    export_session,
    fork_session,
    import_session,
    list_sessions,
    opened,
    rename_session,
    transcript,
)
from tests.postgres.agents import Place, config, said
from tests.turn.agents import server_count
from tests.wire.server import WireServer


def test_a_session_in_a_shared_database_is_looked_after_and_leaves_for_a_folder(url: str, tmp_path: Path) -> None:
    with WireServer(count=server_count) as wire:
        shared = Place(wire.url, tmp_path, url)
        graph = shared.graph()
        for words in ("不要用红色。", "端口是 18443。", "谢谢。"):
            graph.invoke(said(words), config("t"))
        with opened(shared.settings()) as place:
            assert "postgresql" in place.name
            assert fork_session(place, "t", "ann", new="try", turn=2) == 2
            graph.invoke(said("另一条。"), config("try"))
            rename_session(place, "t", "ann", new="renamed")
            listed = {session.thread: session.turns for session in list_sessions(place, "ann")}
            assert listed == {"renamed": 3, "try": 3}
            assert [message.text for message in history(graph, config("try"))][-2] == "另一条。"
            text = "".join(export_session(place, "renamed", "ann"))
            assert delete_session(place, "renamed", "ann") == 3
            assert [session.thread for session in list_sessions(place, "ann")] == ["try"]
        file = tmp_path / "renamed.jsonl"
        file.write_text(text, encoding="utf-8")
        alone = Place(wire.url, tmp_path, None)
        with opened(alone.settings()) as place:
            assert import_session(place, file, "ann").turns == 3
            assert [message.text for message in transcript(place, "renamed", "ann")][::2][-1] == "谢谢。"
        alone.graph().invoke(said("还在吗？"), config("renamed"))
