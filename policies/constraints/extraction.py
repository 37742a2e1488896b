"""The wishes in one message, by rules alone; every `words` is a span of the message.

Law: `text[c.start : c.end] == c.words` for every candidate.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import NamedTuple

from ninefold.state import Language, Polarity, Scope

from ..negation import is_negated
from ..simplified import simplified
from ..text import Span, detect_language
from .candidates import Candidate, as_written, banned, limits, polarity_of
from .cues import find, says, without
from .hearing import Clause, Sentence, hear, only_for_good, only_frames
from .keys import Keyed, canonical, key, keyed
from .one_off import STAYS_WITH_SESSION, ending_with_the_work
from .searching import search_candidates
from .tasks import finishes, pointed_at, requested
from .told import TRAILING, Told, label_of, told_alone, told_in

MAX_WISHES = 40
"""Wishes taken from one message, so that a long pasted text cannot fill the layer; the others are counted."""

MAX_WORDS = 1000
"""Characters of one wish; a longer sentence is cut to the clause that holds it."""


class Extraction(NamedTuple):
    """What rules found in a message."""

    wishes: tuple[Candidate, ...]
    task: Span | None
    """The thing asked for, in the person's words."""
    finished: bool
    """The person says that the task before is done."""
    beyond: tuple[Candidate, ...] = ()
    """Wishes that are too many for one message."""


_LABEL = re.compile(r"\[[^\[\]]*\]")
"""A heading in brackets, as [当前请求]: it asks for nothing."""
_UNSEEN = re.compile("[\x00\xad\u200b-\u200d\u2060\ufeff\ufffd]")
"""What nobody sees inside a word, and what stands for a letter that could not be kept."""
_CLOSES = {'"': '"', "“": "”", "「": "」", "『": "』", "《": "》", "(": ")", "（": "）", "[": "]", "【": "】"}
_BEHIND = re.compile(r"[.!?。！？\s]{0,3}")


@lru_cache(maxsize=256)
def extract(text: str) -> Extraction:
    """Give the wishes, the task and whether the former task is finished."""
    seen = [place for place, letter in enumerate(text) if not _UNSEEN.match(letter)]
    found = _extracted("".join(text[place] for place in seen))
    if len(seen) == len(text):
        return found

    def placed(words: Span | Candidate) -> tuple[str, int, int]:
        start, end = seen[words.start], seen[words.end - 1] + 1
        return text[start:end], start, end

    def whole(wishes: tuple[Candidate, ...]) -> tuple[Candidate, ...]:
        places = [placed(wish) for wish in wishes]
        return tuple(w._replace(words=words, start=a, end=b) for w, (words, a, b) in zip(wishes, places, strict=True))

    task = Span(*placed(found.task)) if found.task is not None else None
    return found._replace(wishes=whole(found.wishes), task=task, beyond=whole(found.beyond))


def _extracted(text: str) -> Extraction:
    heard = hear(text)
    task = requested(heard)
    wishes: list[Candidate] = []
    for sentence in heard:
        told = told_in(sentence) or (told_alone(sentence) if len(heard) == 1 else [])
        within = task is not None and sentence.span.start <= task.start < sentence.span.end
        framed = [_framed(wish, sentence, within, task is not None) for wish in _wishes(text, sentence, told, within)]
        framed = [ending_with_the_work(wish, sentence, task) for wish in framed]
        wishes += framed
        wishes += [
            wish
            for wish in search_candidates(sentence)
            if not any(wish.start < other.end and other.start < wish.end for other in framed)
        ]
    wishes = [as_written(wish, text) for wish in wishes]
    occasions = {wish.condition for wish in wishes}
    distinct = [wish for wish in wishes if wish.words not in occasions and not _LABEL.fullmatch(wish.words)]
    if len(distinct) > MAX_WISHES:
        distinct = [*{wish.words: wish for wish in reversed(distinct)}.values()][::-1]
    if task is None and any(wish.task for wish in distinct):
        task = pointed_at(heard)
    if task is not None:
        task = task._replace(text=text[task.start : task.end])
    return Extraction(tuple(distinct[:MAX_WISHES]), task, finishes(heard), tuple(distinct[MAX_WISHES:]))


def _wishes(text: str, sentence: Sentence, told: list[Told], with_task: bool) -> Iterator[Candidate]:
    """Give one wish a clause where the clauses stand on their own, else one for the sentence."""
    told = [each for each in told if not only_frames(each.clause)] or told
    if not told:
        return
    if only_for_good(told[0].clause) and all(each.asks or only_for_good(each) for each in sentence.clauses):
        return
    if detect_language(sentence.heard) is Language.CHINESE or with_task or _distinct(told):
        for index, each in enumerate(told):
            begins = _frame_start(sentence, each.clause) if index == 0 else each.clause.span.start
            ends = each.clause.span.end
            if detect_language(sentence.heard) is Language.ENGLISH:
                follow = told[index + 1].clause.span.start if index + 1 < len(told) else sentence.span.end
                ends = _run_end(sentence, each.clause, follow)
            yield _wish(text, begins, ends, each)
        return
    yield _wish(
        text, _frame_start(sentence, told[0].clause), _run_end(sentence, told[-1].clause, sentence.span.end), told[0]
    )


def _distinct(told: list[Told]) -> bool:
    """Whether each names a key of its own, or another value where only one holds: "in euros, never in dollars"."""
    named = [found for each in told if (found := keyed(each.clause.heard))]
    things = {(found.key.name, canonical(found.key.name, found.value) if found.key.single else None) for found in named}
    return 1 < len(told) == len(things) == len(named)


def _frame_start(sentence: Sentence, clause: Clause) -> int:
    """Where the wish begins: a clause before it that only says when or how long it holds belongs to it."""
    begins = clause.span.start
    before = [each for each in sentence.clauses if each.span.end <= begins]
    for each in reversed(before):
        frame = any(says(group, each.heard) for group in ("lasting", "this_turn", "when", "for_task"))
        frame = frame or (says("session", each.heard) and len(each.heard) < 80)
        frame = frame or says("points_back", clause.heard)
        if not (frame and each.own and not each.asks):
            break
        begins = each.span.start
    return begins


def _run_end(sentence: Sentence, clause: Clause, follow: int) -> int:
    """Where the wish ends: clauses behind it that neither ask nor request continue it, up to the wish that follows."""
    ends = clause.span.end
    for each in sentence.clauses:
        if each.span.start < ends:
            continue
        if (
            each.span.start >= follow
            or each.asks
            or not each.own
            or says("polite", each.heard)
            or says("task", each.heard)
        ):
            break
        ends = each.span.end
    return ends


def _wish(text: str, start: int, end: int, told: Told) -> Candidate:
    if end - start > MAX_WORDS:
        span = told.clause.span
        start, end = span.start, min(span.end, span.start + MAX_WORDS)
    words = text[start:end].rstrip(TRAILING)
    start += len(words) - len(words.lstrip())
    words = text[start : _closed(text, start, start + len(words.strip()))]
    said = told.clause.heard
    found: Keyed | None = keyed(text[told.clause.span.start : told.clause.span.end])
    preference = told.label == "prefer" or says("weak", said)
    # What stands behind a demand in its sentence, as "…, no problem if not", does not turn it round.
    alone = says("points_back", said) or (told.label == "require" and not is_negated(said))
    polarity = polarity_of(said if alone else words, preference=preference)
    if told.label == "forbid" and polarity is not Polarity.FORBID and not limits(words):
        polarity = Polarity.FORBID
    if polarity is Polarity.FORBID and (found is None or found.key.name == "exclude"):
        found = banned(words) or found
    return Candidate(
        words=words,
        start=start,
        end=start + len(words),
        polarity=polarity,
        key=found.key.name if found else None,
        value=found.value if found else None,
        change=says("change", said) or says("border", said),
        withdraws=told.label == "withdraw",
        fallback=told.label == "withdraw" and says("forbid", said) and not said.endswith("了"),
    )


def _closed(text: str, start: int, end: int) -> int:
    """Where a wish ends with what it opens: a quotation or a bracket that closes right behind it is its own."""
    opened: list[str] = []
    for letter in text[start:end]:
        if opened and letter == opened[-1]:
            opened.pop()
        elif letter in _CLOSES:
            opened.append(_CLOSES[letter])
    while opened and (behind := _BEHIND.match(text, end)) and text[behind.end() : behind.end() + 1] == opened.pop():
        end = behind.end() + 1
    return end


def _framed(wish: Candidate, sentence: Sentence, in_task_sentence: bool, has_task: bool) -> Candidate:
    """Give the wish with its scope: this turn, when a condition is met, or the session; and with what it belongs to."""
    said = sentence.heard
    change = wish.change or says("border", said) or any(_turns(clause) for clause in sentence.clauses)
    if says("this_turn", said):
        return wish._replace(scope=Scope.TURN, change=change)
    if says("for_task", said) and not wish.withdraws:
        return wish._replace(task=True, change=change)
    condition = _occasion(sentence)
    lasting = says("lasting", said) and not says("here", said)
    standing = simplified(wish.words) != condition[0].strip() if condition else False
    if condition and standing and _conditional(condition[0]):
        return wish._replace(scope=Scope.WHEN, condition=condition[0].strip(TRAILING), lasting=lasting, change=change)
    about = key(wish.key)
    of_task = (
        about is not None and about.name not in STAYS_WITH_SESSION and (in_task_sentence or (has_task and about.task))
    )
    task = of_task and not lasting and not says("session", said)
    return wish._replace(lasting=lasting, change=change, task=task)


def _occasion(sentence: Sentence) -> re.Match[str] | None:
    """Find when the wish holds; a remark behind it has an occasion of its own: "…, they read it when I forward it"."""
    found = find("when", sentence.heard)
    if found is None:
        return None
    before = [each for each in sentence.clauses if each.span.start - sentence.span.start <= found.start()]
    remark = len(before) > 1 and label_of(before[-1]) is None and any(label_of(each) for each in before[:-1])
    inside = bool(before) and before[-1].span.start - sentence.span.start < found.start()
    return None if remark and inside else found


@lru_cache(maxsize=4096)
def _turns(clause: Clause) -> bool:
    """Whether a clause only announces a change: "Actually, …", "我改主意了，…"."""
    return (
        says("change", clause.heard)
        and (len(clause.heard.split()) <= 3 and len(clause.heard) <= 24)
        and not keyed(clause.heard)
    )


def _conditional(condition: str) -> bool:
    """Whether the words name an occasion; "以后都" and "when possible" are none."""
    plain = without("no_occasion", condition).replace(" ", "")
    return len(plain) >= 2 and not (is_negated(condition) and len(plain) < 4)
