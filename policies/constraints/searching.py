"""What a search asks of the thing it looks for: "一家评分4.5分以上、有早餐的酒店", "a hotel under $100 with parking".

A search is often a question ("有没有…？"), so these clauses count although they ask; a question about a thing's own
value ("评分是多少？") names none and gives nothing.
"""

from __future__ import annotations

from collections.abc import Iterator

from ninefold.state import Language, Polarity

from ..text import Span, detect_language, trimmed
from .candidates import Candidate, polarity_of
from .cues import find, find_all, says
from .hearing import Clause, Sentence
from .keys import keyed

SHORT = 100
"""Characters of an English sentence that may ask for a thing which has no name of its own here."""


def search_candidates(sentence: Sentence) -> Iterator[Candidate]:
    """Give what the sentence asks of a thing looked for, one candidate a part that names an attribute."""
    if not says("search", sentence.heard) and not says("level", sentence.heard):
        return
    about = _thing(sentence.heard)
    for clause in sentence.clauses:
        if not clause.own:
            continue
        for part in _parts(clause):
            if about is None and detect_language(part.text) is Language.ENGLISH and len(sentence.heard) > SHORT:
                continue
            wish = _asked(part, about, sentence.heard)
            if wish is not None:
                yield wish


def _parts(clause: Clause) -> Iterator[Span]:
    said = clause.heard
    start = 0
    for found in find_all("parts", said):
        yield _placed(said, start, found.start(), clause)
        start = found.end()
    yield _placed(said, start, len(said), clause)


def _placed(said: str, start: int, end: int, clause: Clause) -> Span:
    span = trimmed(said, start, end)
    return Span(span.text, clause.span.start + span.start, clause.span.start + span.end)


def _asked(part: Span, about: str | None, sentence: str) -> Candidate | None:
    if not part.text or says("asks_value", part.text):
        return None
    found = keyed(part.text, search=True)
    if about is None and found is not None and not any(letter.isdigit() for letter in found.value or ""):
        found = found if detect_language(part.text) is Language.CHINESE else None
    if found is not None and found.key.search and found.value:
        return _candidate(part, found.key.name, found.value, about)
    attribute = find("attribute", part.text)
    if attribute is None or (about is None and (says("of_a_thing", attribute[0]) or not says("seeks", sentence))):
        return None
    value = attribute.groupdict().get("value")
    if not value or not value.strip():
        return None
    return _candidate(part, "feature", value.strip(), about)


def _candidate(part: Span, name: str, value: str, about: str | None) -> Candidate:
    polarity = polarity_of(part.text, preference="最好" in part.text)
    return Candidate(
        words=part.text,
        start=part.start,
        end=part.end,
        polarity=polarity if polarity is not Polarity.FORBID or value not in ("不免费",) else Polarity.REQUIRE,
        key=name,
        value=value,
        about=about,
    )


def _thing(heard: str) -> str | None:
    """Give the thing looked for: the last one named, for a place named before it is where, not what."""
    names = find_all("things", heard)
    return names[-1]["thing"] if names else None
