"""Every memory store keeps the same contract."""

import os
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, TypeVar

import pytest

from ninefold.adapters.memory.chroma import ChromaMemory
from ninefold.adapters.memory.in_memory import InMemoryMemory
from ninefold.nodes.ports import MemoryStore
from ninefold.state import MemoryKind, MemoryStatus, MemoryStoreError, ModelMissing

from .bag_of_words import BagOfWords
from .stores import STAMP, a_record

PREFERENCES = (MemoryKind.PREFERENCE, MemoryKind.PROFILE)
Driver = TypeVar("Driver", bound=MemoryStore)
Opener = Callable[[BagOfWords], MemoryStore]


PLACES: dict[int, Path | str] = {}
"""Where each opened store keeps its memories, for a second client."""


def at(place: Path | str, store: Driver) -> Driver:
    PLACES[id(store)] = place
    return store


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    command = [
        str(Path(sys.executable).with_name("chroma")),
        "run",
        "--host",
        "127.0.0.1",
        "--port",
        str(port),
        "--path",
    ]
    process = subprocess.Popen([*command, str(tmp_path_factory.mktemp("server"))], stdout=subprocess.DEVNULL)
    try:
        for _ in range(200):
            with socket.socket() as client:
                if client.connect_ex(("127.0.0.1", port)) == 0:
                    break
            time.sleep(0.1)
        yield f"http://127.0.0.1:{port}"
    finally:
        process.terminate()
        process.wait()


@pytest.fixture(scope="module")
def elastic() -> Iterator[str]:
    """A real Elasticsearch where `ES_URL` names one."""
    if "ES_URL" in os.environ:
        yield os.environ["ES_URL"]
        return
    pytest.importorskip("osmem_server")
    from .elastic_server import ElasticServer

    served = ElasticServer()
    try:
        yield served.url
    finally:
        served.close()


@pytest.fixture(params=["in memory", "chroma in a folder", "chroma server", "elasticsearch"])
def opened(request: pytest.FixtureRequest, tmp_path: Path) -> Opener:
    def open_store(embeddings: BagOfWords) -> MemoryStore:
        match request.param:
            case "in memory":
                return InMemoryMemory(embeddings, STAMP)
            case "chroma in a folder":
                return at(tmp_path / "memories", ChromaMemory(tmp_path / "memories", embeddings, STAMP))
            case "elasticsearch":
                from ninefold.adapters.memory.elastic import ElasticMemory

                address = request.getfixturevalue("elastic")
                kept = ElasticMemory(f"elasticsearch+{address}", embeddings, STAMP)
                for user in ("ann", "ann1", "ANN"):
                    kept.delete(user, [record.id for record in kept.records(user)])
                return at(f"elasticsearch+{address}", kept)
            case _:
                url = request.getfixturevalue("server")
                store = ChromaMemory(url, embeddings, STAMP)
                for user in ("ann", "ann1", "ANN"):
                    store.delete(user, [record.id for record in store.records(user)])
                return at(url, store)

    return open_store


@pytest.fixture
def store(opened: Opener) -> MemoryStore:
    return opened(BagOfWords())


def test_an_empty_store_gives_nothing_and_no_error(store: MemoryStore) -> None:
    assert store.search("ann", "anything", limit=50) == ()
    assert store.nearest("ann", ["one", "two"], limit=5) == ((), ())
    assert store.by_kind("ann", PREFERENCES) == ()
    assert store.records("ann") == ()
    assert store.get("ann", ["m1"]) == ()
    assert store.get("ann", []) == ()
    assert store.delete("ann", ["m1"]) == 0


def test_what_is_written_is_read_back_whole(store: MemoryStore) -> None:
    record = a_record(
        "端口是 8443",
        kind=MemoryKind.CONFIG,
        description="部署",
        subject="端口",
        sequence=7,
        hits=2,
        last_hit="2026-03-02T10:00:00+08:00",
        seen="2026-03-03T10:00:00+08:00",
        status=MemoryStatus.SUPERSEDED,
        superseded_by="m9",
        role="assistant",
    )
    store.write([record])
    assert store.get("ann", [record.id]) == (record,)


def test_more_than_there_are_may_be_asked_for(store: MemoryStore) -> None:
    store.write([a_record(text) for text in ("red house", "red car", "blue sky")])
    assert next(record.text for record, _ in store.search("ann", "red car", limit=50)) == "red car"
    assert len(store.search("ann", "red car", limit=50)) == 3


def test_scores_are_cosine(opened: Opener) -> None:
    store = opened(BagOfWords(scale=37.5))
    store.write([a_record("red green blue"), a_record("wholly other words")])
    scores = {record.text: score for record, score in store.search("ann", "blue green red", limit=5)}
    assert scores["red green blue"] == pytest.approx(1, abs=1e-3)
    assert scores["wholly other words"] == pytest.approx(0, abs=1e-3)
    half = store.search("ann", "red yellow brown", limit=1)[0][1]
    assert half == pytest.approx(1 / 3, abs=1e-3)


def test_only_the_persons_own_rows_are_seen_whatever_the_ids_look_like(store: MemoryStore) -> None:
    for user in ("ann", "ann1", "ANN"):
        store.write([a_record("I like tea", id=f"m-{user}", user=user, kind=MemoryKind.PREFERENCE)])
    for user in ("ann", "ann1", "ANN"):
        mine = [f"m-{user}"]
        assert [r.id for r, _ in store.search(user, "I like tea", limit=9)] == mine
        assert [r.id for r, _ in store.nearest(user, ["I like tea"], limit=9)[0]] == mine
        assert [r.id for r in store.by_kind(user, PREFERENCES)] == mine
        assert [r.id for r in store.records(user)] == mine
        assert [r.id for r in store.get(user, ["m-ann", "m-ann1", "m-ANN"])] == mine
    assert store.delete("ann", ["m-ann", "m-ann1", "m-ANN"]) == 1
    assert [r.id for r in store.records("ann1")] == ["m-ann1"]


def test_another_persons_row_is_never_overwritten(store: MemoryStore) -> None:
    store.write([a_record("mine", id="m1", user="ann")])
    with pytest.raises(MemoryStoreError, match="another person"):
        store.write([a_record("theirs", id="m1", user="ann1")])
    assert [record.text for record in store.records("ann")] == ["mine"]


@pytest.mark.parametrize("user", ["", "  ", "a\x00b", "\ud83d"])
def test_a_search_that_cannot_be_filtered_is_refused(store: MemoryStore, user: str) -> None:
    store.write([a_record("secret of ann")])
    calls: list[Callable[[], object]] = [
        lambda: store.search(user, "secret", limit=5),
        lambda: store.nearest(user, ["secret"], limit=5),
        lambda: store.by_kind(user, PREFERENCES),
        lambda: store.records(user),
        lambda: store.get(user, ["m-secret of ann"]),
        lambda: store.delete(user, ["m-secret of ann"]),
    ]
    for call in calls:
        with pytest.raises(MemoryStoreError, match="cannot be filtered by"):
            call()


def test_superseded_and_archived_rows_are_kept_but_never_found(store: MemoryStore) -> None:
    store.write([a_record("port 80", status=MemoryStatus.SUPERSEDED, kind=MemoryKind.PREFERENCE), a_record("port 81")])
    store.write([a_record("port 82", status=MemoryStatus.ARCHIVED)])
    assert [r.text for r, _ in store.search("ann", "port", limit=9)] == ["port 81"]
    assert store.by_kind("ann", PREFERENCES) == ()
    assert {r.text for r in store.records("ann")} == {"port 80", "port 81", "port 82"}
    assert [r.text for r in store.records("ann", status=MemoryStatus.ARCHIVED)] == ["port 82"]


def test_kinds_narrow_a_search(store: MemoryStore) -> None:
    store.write([a_record("port 80", kind=MemoryKind.CONFIG), a_record("port 81", kind=MemoryKind.DECISION)])
    found = store.search("ann", "port", limit=9, kinds=[MemoryKind.DECISION, MemoryKind.TODO])
    assert [r.text for r, _ in found] == ["port 81"]


def test_writing_again_changes_one_row_and_embeds_nothing_twice(opened: Opener) -> None:
    embeddings = BagOfWords()
    store = opened(embeddings)
    store.write([a_record("port 80"), a_record("port 81")])
    before = len(embeddings.embedded)
    store.write([a_record("port 80", hits=3), a_record("port 81")])
    assert len(embeddings.embedded) == before
    assert len(store.records("ann")) == 2
    assert store.get("ann", ["m-port 80"])[0].hits == 3


def test_by_kind_and_records_need_no_embedding(opened: Opener) -> None:
    embeddings = BagOfWords()
    store = opened(embeddings)
    store.write([a_record("I like tea", kind=MemoryKind.PREFERENCE)])
    before = len(embeddings.embedded)
    assert store.by_kind("ann", PREFERENCES)
    assert store.records("ann")
    assert len(embeddings.embedded) == before


def test_order_is_the_turns_before_the_wall_clocks(store: MemoryStore) -> None:
    store.write(
        [
            a_record("second", sequence=2, created="2026-03-01T09:00:00+08:00", kind=MemoryKind.PREFERENCE),
            a_record("first", sequence=1, created="2026-03-01T10:00:00+08:00", kind=MemoryKind.PREFERENCE),
            a_record("earlier thread", thread="t0", sequence=9, created="2026-02-28T23:30:00-08:00"),
            a_record("later thread", thread="t2", created="2026-03-01T04:00:00+00:00", kind=MemoryKind.PREFERENCE),
        ]
    )
    assert [r.text for r in store.records("ann")] == ["first", "second", "later thread", "earlier thread"]
    assert [r.text for r in store.by_kind("ann", PREFERENCES)] == ["later thread", "second", "first"]


def test_odd_text_is_stored_and_found(store: MemoryStore) -> None:
    store.write([a_record("坏字 and \x00 nul", id="m1"), a_record("x" * 4000, id="m2")])
    assert store.get("ann", ["m1"])[0].text == "坏字 and \ufffd nul"
    assert len(store.search("ann", "坏\ud83d字" + "长" * 1_000_000, limit=5)) == 2
    assert store.search("ann", " \n", limit=5) == ()


class _Broken(BagOfWords):
    def __init__(self, vector: list[float]) -> None:
        super().__init__()
        self.vector = vector

    def _vector(self, text: str) -> list[float]:
        return self.vector


@pytest.mark.parametrize("vector", [[], [float("nan")] * 256, [float("inf")] * 256])
def test_a_vector_that_cannot_be_compared_is_refused(opened: Opener, vector: list[float]) -> None:
    store = opened(_Broken(vector))
    with pytest.raises(MemoryStoreError, match="empty vector or one with NaN"):
        store.write([a_record("x")])
    assert store.records("ann") == ()


def test_a_failing_embedder_is_a_named_error(opened: Opener) -> None:
    class Down(BagOfWords):
        def embed_documents(self, texts: list[str]) -> list[list[float]]:
            raise ConnectionError("refused")

        embed_query = embed_documents  # type: ignore[assignment]

    store = opened(Down())
    for call in (lambda: store.write([a_record("x")]), lambda: store.search("ann", "x", limit=1)):
        with pytest.raises(MemoryStoreError, match="ConnectionError: refused"):
            call()
    assert store.by_kind("ann", PREFERENCES) == ()


def test_what_an_embedder_names_itself_is_said_with_its_own_next_step(opened: Opener) -> None:
    class NotInstalled(BagOfWords):
        def embed_query(self, text: str) -> list[float]:
            raise ModelMissing("The embedded embedder is not installed.", "`pip install 'ninefold[embedded]'`.")

    with pytest.raises(MemoryStoreError) as raised:
        opened(NotInstalled()).search("ann", "boats", limit=1)
    assert raised.value.next_step == "`pip install 'ninefold[embedded]'`."


def test_the_threshold_belongs_to_the_embedder(opened: Opener) -> None:
    embeddings = BagOfWords()
    assert opened(embeddings).min_score == 0.45
    embeddings.min_score = 0.25  # type: ignore[attr-defined]
    assert opened(embeddings).min_score == 0.25


def test_memories_are_found_by_their_words_without_an_embedding(opened: Opener) -> None:
    embeddings = BagOfWords()
    store = opened(embeddings)
    store.write([a_record("测试环境的端口是 8443"), a_record("the harbour of Lisbon"), a_record("8443", user="ann1")])
    embeddings.embedded.clear()
    assert [record.text for record, _ in store.matching("ann", "端口", limit=5)] == ["测试环境的端口是 8443"]
    assert [record.text for record, _ in store.matching("ann", "HARBOURS", limit=5)] == ["the harbour of Lisbon"]
    assert store.matching("ann", "nothing shared", limit=5) == ()
    assert store.matching("ann", "端口", limit=0) == ()
    assert embeddings.embedded == []


def test_the_words_follow_what_is_written_superseded_and_deleted(store: MemoryStore) -> None:
    old, new = a_record("budget is 3 million"), a_record("budget is 5 million")
    store.write([old])
    assert len(store.matching("ann", "budget", limit=5)) == 1
    store.write([new, old.model_copy(update={"status": MemoryStatus.SUPERSEDED})])
    assert [record.text for record, _ in store.matching("ann", "budget", limit=5)] == [new.text]
    store.delete("ann", [new.id])
    assert store.matching("ann", "budget", limit=5) == ()


def test_what_another_client_wrote_is_found_by_its_words(opened: Opener) -> None:
    one = opened(BagOfWords())
    if isinstance(one, InMemoryMemory):
        pytest.skip("it is nobody else's")
    one.write([a_record("the port is 8443")])
    assert len(one.matching("ann", "port", limit=5)) == 1
    driver: Any = type(one)
    other: MemoryStore = driver(PLACES[id(one)], BagOfWords(), STAMP)
    other.write([a_record("the port of Lisbon")])
    assert len(one.matching("ann", "port", limit=5)) == 2


def test_what_another_client_superseded_is_not_found_by_its_words(opened: Opener) -> None:
    one = opened(BagOfWords())
    if isinstance(one, InMemoryMemory):
        pytest.skip("it is nobody else's")
    old, new = a_record("the port is 8443"), a_record("the port is 9443")
    gone = {"status": MemoryStatus.SUPERSEDED}
    one.write([old, new.model_copy(update=gone)])
    assert [record.text for record, _ in one.matching("ann", "port", limit=5)] == [old.text]
    driver: Any = type(one)
    other: MemoryStore = driver(PLACES[id(one)], BagOfWords(), STAMP)
    other.write([old.model_copy(update=gone), new])
    assert [record.text for record, _ in one.matching("ann", "port", limit=5)] == [new.text]
    other.write([new.model_copy(update=gone)])
    assert one.matching("ann", "port", limit=5) == ()


def test_what_was_said_in_a_turn_is_given_in_any_status(store: MemoryStore) -> None:
    old = a_record("one", turn="turn-1", status=MemoryStatus.SUPERSEDED)
    store.write([old, a_record("two", turn="turn-2"), a_record("other", turn="turn-1", user="ann1")])
    assert [record.text for record in store.of_turns("ann", ["turn-1"])] == ["one"]
    assert len(store.of_turns("ann", ["turn-1", "turn-2"])) == 2
    assert store.of_turns("ann", []) == ()
