"""What nobody asks for fades and is archived; what is asked for stays; preferences and profile never age."""

from datetime import UTC, datetime, timedelta

from ninefold.adapters.memory.in_memory import InMemoryMemory
from ninefold.policies.ageing import weight
from ninefold.policies.recall import DefaultRanking, Found, InView, Limits
from ninefold.state import Fate, MemoryKind, MemoryRecord, MemoryStatus

from .bag_of_words import BagOfWords
from .stores import STAMP, a_record
from .turns import Conversation

SAID = datetime(2026, 3, 1, tzinfo=UTC)


def after(days: float) -> Limits:
    return Limits(min_score=0.45, top_k=5, tokens=600, now=(SAID + timedelta(days=days)).isoformat())


def at(days: float) -> str:
    return (SAID + timedelta(days=days)).isoformat()


def test_a_memory_counts_less_from_day_to_day_and_nothing_at_the_end() -> None:
    fact = a_record("the office is in Ulm", created=at(0))
    weights = [weight(fact, after(days)) for days in (0, 30, 89, 91, 135, 179)]
    assert weights == sorted(weights, reverse=True)
    assert weights[0] == 1
    assert weights[2] > 0.89
    assert 0.5 <= weights[-1] < 0.6
    assert weight(fact, after(180)) == 0


def test_a_hit_or_saying_it_again_makes_it_fresh() -> None:
    fact = a_record("the office is in Ulm", created=at(0))
    for changed in ({"last_hit": at(170)}, {"seen": at(170)}):
        assert weight(fact.model_copy(update=changed), after(180)) > 0.9


def test_preferences_and_profile_never_age() -> None:
    for kind in (MemoryKind.PREFERENCE, MemoryKind.PROFILE):
        assert weight(a_record("x", kind=kind, created=at(0)), after(4000)) == 1


def test_of_two_that_are_equally_near_the_fresher_comes_first() -> None:
    old, new = a_record("tea house one", created=at(0)), a_record("tea house two", created=at(80))
    given = DefaultRanking().rank(
        (), Found(near=[(old, 0.7), (new, 0.7)]), query="tea house", view=InView(), limits=after(85)
    )
    assert [candidate.text for candidate in given] == ["tea house two", "tea house one"]


def test_what_is_past_its_time_is_not_recalled() -> None:
    fact = a_record("the office is in Ulm", created=at(0))
    given = DefaultRanking().rank(
        (), Found(near=[(fact, 0.99)], matching=[(fact, 1.0)]), query="office", view=InView(), limits=after(181)
    )
    assert given[0].fate is Fate.BELOW_THRESHOLD


def test_a_new_thread_archives_what_nobody_asked_for_in_half_a_year() -> None:
    store = InMemoryMemory(BagOfWords(), STAMP)
    kept: list[MemoryRecord] = [
        a_record("the office is in Ulm", created="2025-08-01T10:00:00+08:00"),
        a_record("the port is 8443", created="2025-08-01T10:00:00+08:00", last_hit="2026-02-01T10:00:00+08:00"),
        a_record("I like tea", kind=MemoryKind.PREFERENCE, created="2020-01-01T10:00:00+08:00"),
    ]
    store.write(kept)
    Conversation(store, thread="new").say("hello", day=1)
    archived = [record.text for record in store.records("ann", status=MemoryStatus.ARCHIVED)]
    assert archived == ["the office is in Ulm"]
    assert store.search("ann", "office in Ulm", limit=5)[0][0].text != "the office is in Ulm"
