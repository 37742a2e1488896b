"""What is Elasticsearch's own: whose index it is, and how it fails; the rest is the stores' contract."""

from collections.abc import Iterator

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
