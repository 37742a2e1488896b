"""Every memory store keeps the same contract."""

from collections.abc import Callable

import pytest

from ninefold.nodes.ports import MemoryStore
from ninefold.state import MemoryKind, MemoryStatus, MemoryStoreError, ModelMissing

from .bag_of_words import BagOfWords
from .stores import Opener, a_record

PREFERENCES = (MemoryKind.PREFERENCE, MemoryKind.PROFILE)

PREFERENCES = (MemoryKind.PREFERENCE, MemoryKind.PROFILE)


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
