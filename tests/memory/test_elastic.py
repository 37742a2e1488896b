"""What is Elasticsearch's own: whose index it is, and how it fails; the rest is the stores' contract."""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier

import pytest

from ninefold.adapters.memory.elastic import ElasticMemory
from ninefold.state import EmbedderMismatch, MemoryStoreError

from .bag_of_words import BagOfWords
from .stores import STAMP, a_record

pytest.importorskip("osmem_server")

from .elastic_server import ElasticServer


@pytest.fixture(scope="module")
def url() -> Iterator[str]:
    server = ElasticServer()
    yield f"elasticsearch+{server.url}"
    server.close()


def test_another_embedder_is_a_named_error_and_nothing_is_lost(url: str) -> None:
    mine = ElasticMemory(url, BagOfWords(), STAMP)
    mine.write([a_record("the port is 8443")])
    for other in (ElasticMemory(url, BagOfWords(), "test:another"), ElasticMemory(url, BagOfWords(64), "test:another")):
        with pytest.raises(EmbedderMismatch, match=STAMP):
            other.search("ann", "port", limit=5)
        with pytest.raises(EmbedderMismatch):
            other.write([a_record("never")])
    with pytest.raises(EmbedderMismatch, match="256"):
        ElasticMemory(url, BagOfWords(64), STAMP).search("ann", "port", limit=5)
    assert [record.text for record in mine.records("ann")] == ["the port is 8443"]


def test_a_server_that_is_down_is_a_named_error_without_its_password() -> None:
    store = ElasticMemory("elasticsearch+http://ann:geheim@127.0.0.1:9", BagOfWords(), STAMP, timeout=2)
    for call in (lambda: store.search("ann", "port", limit=5), lambda: store.write([a_record("x")])):
        with pytest.raises(MemoryStoreError, match=r"http://127\.0\.0\.1:9 could not") as failed:
            call()
        assert "geheim" not in str(failed.value)


def test_more_rows_than_one_page_are_all_read(url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ninefold.adapters.memory.elastic.PAGE", 7)
    store = ElasticMemory(url, BagOfWords(), STAMP)
    store.write([a_record(f"row {number}", user="pages") for number in range(30)])
    assert len(store.records("pages")) == 30


@pytest.mark.parametrize("hides_vectors", [True, False])
def test_a_text_is_not_embedded_again_whatever_the_server_gives_back(hides_vectors: bool) -> None:
    server = ElasticServer(hides_vectors=hides_vectors)
    try:
        embeddings = BagOfWords()
        store = ElasticMemory(f"elasticsearch+{server.url}", embeddings, STAMP)
        store.write([a_record("the port is 8443")])
        store.write([a_record("the port is 8443", hits=1)])
        assert embeddings.embedded == ["the port is 8443"]
        assert bool(server.shown) is hides_vectors
    finally:
        server.close()


def test_an_index_that_hides_its_vectors_is_still_written_to() -> None:
    server = ElasticServer()
    try:
        store = ElasticMemory(f"elasticsearch+{server.url}", BagOfWords(), STAMP)
        store.write([a_record("the port is 8443")])
        server.shown.clear()
        store.write([a_record("the port is 8443", hits=1), a_record("the harbour")])
        assert store.get("ann", ["m-the port is 8443"])[0].hits == 1
        assert [record.text for record, _ in store.search("ann", "port is the 8443", limit=1)] == ["the port is 8443"]
    finally:
        server.close()


class _Together(BagOfWords):
    """Embeds when another does."""

    def __init__(self, barrier: Barrier) -> None:
        super().__init__()
        self._barrier = barrier

    def embed_documents(self, texts: list[str]) -> list[list[float]]:
        self._barrier.wait(20)
        return super().embed_documents(texts)


def test_workers_that_begin_together_share_one_index() -> None:
    server = ElasticServer()
    try:
        url, barrier = f"elasticsearch+{server.url}", Barrier(2)
        reader = ElasticMemory(url, BagOfWords(), STAMP)
        assert reader.records("ann") == ()
        writers = [ElasticMemory(url, _Together(barrier), STAMP) for _ in range(2)]
        with ThreadPoolExecutor(2) as pool:
            list(pool.map(lambda pair: pair[0].write([a_record(pair[1])]), zip(writers, ("one", "two"), strict=True)))
        for store in (reader, *writers):
            assert {record.text for record in store.records("ann")} == {"one", "two"}
            assert len(store.search("ann", "one", limit=5)) == 2
    finally:
        server.close()
