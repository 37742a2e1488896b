"""Who says what in a message: the clauses that are the person's own wishes or statements, not questions, not another's.

Quoted speech, code, and a text that was handed over to be worked on are not heard at all.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from ninefold.state import Language

from ..negation import is_negated
from ..simplified import simplified
from ..text import HAN, Span, clauses, detect_language, sentences, strip_quoted, trimmed
from .cues import find, says, without
from .keys import keyed

HEARD_CHARS = 400
"""No more of one clause is listened to: a longer one is no sentence that a person says."""

MATERIAL_CHARS = 80
"""A handed-over text is longer than this; a shorter one behind a colon is taken for the request itself."""

_ENDS_INSIDE = re.compile(
    rf"[.!?。！？](?=[\"”’」』](?:\s*$|\s+[A-Z]|\s*\n|(?!结尾|收尾|开头|起头|作为|这|的|字样|[两几]个?字)[{HAN}]))"
)
_ENDS_BEHIND = re.compile(r"(?<=[\"'”’])\.(?=\s+\S)")
_ITEM = rf"(?:[-*+•·](?=[ \t]|[{HAN}])|\d{{1,2}}[.)](?=[ \t]|[{HAN}])|\d{{1,2}}、|[(（]\d{{1,2}}[)）])[ \t]*"
_BRACKET = r"[(（](?=[^()（）\n]*[)）][.!。！]?[ \t]*$)"
_ASIDE = (
    r"[(（](?:(?:and |but )?(?:i (?:really )?mean|really|seriously|please|ever|at all)\b[^()（）\n]{0,24}"
    r"|(?:我是|真的|说真的|拜托|千万|请)[^()（）\n]{0,8})[)）]"
)
_INSIDE = re.compile(r"[(（]([^()（）\n]{2,60})[)）]")
_LAYOUT = re.compile(
    rf"(?i:{_ASIDE})|^[ \t\ufeff]*(?:{_ITEM})?(?:{_BRACKET})?|\*\*|(?<!\w)__(?=\w)|(?<=\w)__(?!\w)", re.MULTILINE
)
_OF_ANYTHING = frozenset({"exclude", "fields"})
"""Keys of whatever is ruled out or asked for alone: they name nothing of the assistant's talk."""
_HAN_LETTER = re.compile(f"[{HAN}]")
_COMMENTED = re.compile(r"[=;(){}][^\n]*\s(?://|#|--|/\*)\s")
"""A line of code with its comment, in whatever language the comment is."""
_CODE_LIKE = re.compile(r"[{}();=<>\[\]|\\_$#/*+]")


class Clause(NamedTuple):
    """A clause of the message and how it is heard."""

    span: Span
    heard: str
    """The head of the clause without what it quotes at its ends; quotations inside it are blank."""
    own: bool
    """The person's own wish or statement could stand here."""
    asks: bool
    """It asks, and is no request in the form of a question."""


class Sentence(NamedTuple):
    """A sentence with its clauses."""

    span: Span
    heard: str
    clauses: tuple[Clause, ...]


def hear(text: str) -> tuple[Sentence, ...]:
    """Give the sentences of a message as they are heard."""
    silent = simplified(_without_material(_without_layout(_with_ends(text, strip_quoted(text)))))
    heard = [_sentence(text, span, silent) for span in sentences(silent)]
    for index, sentence in enumerate(heard[1:]):
        shouted = heard[index].span.text.endswith(("!", "！"))
        if shouted and any(says("attributed", first.heard) for first in sentence.clauses[:1]):
            heard[index] = _of_another(heard[index])
    return tuple(heard)


def _with_ends(text: str, silent: str) -> str:
    """Put back the mark inside a quotation that ends the sentence around it, as in: the phrase "Well." Then stop.

    A full stop there has a blank before it, where none ends a sentence: it is heard as the Chinese one.
    """
    heard = list(silent)
    for found in _ENDS_BEHIND.finditer(text):
        if silent[found.start()] == "." and silent[found.start() - 1] == " ":
            heard[found.start()] = "。"
    for found in _ENDS_INSIDE.finditer(text):
        heard[found.start()] = "。" if found[0] == "." else found[0]
    return "".join(heard)


def _without_layout(heard: str) -> str:
    """Blank what only lays a text out: a list's marks and numbers, emphasis, a bracket around a sentence, an aside."""
    return _LAYOUT.sub(lambda found: found[0] if _tells(found[0]) else " " * len(found[0]), heard)


def _tells(bracket: str) -> bool:
    """Whether what stands in brackets is more than an aside: a ban, or a thing that a rule may name."""
    return len(bracket) > 4 and (is_negated(bracket) or keyed(bracket) is not None or says("require", bracket[1:-1]))


def _without_material(heard: str) -> str:
    """Blank a text that a request hands over: "translate the following: …"."""
    found = find("material", heard)
    if found is None or len(heard) - found.end() < MATERIAL_CHARS:
        return heard
    return heard[: found.end()] + re.sub(r"\S", " ", heard[found.end() :])


def _sentence(text: str, span: Span, silent: str) -> Sentence:
    heard = silent[span.start : span.end]
    parts: list[Clause] = []
    reported = quoted = False
    inside = [part for clause in clauses(heard) for outer in _unbracketed(clause) for part in _parted(outer)]
    for index, part in enumerate(inside):
        behind = inside[index + 1].start if index + 1 < len(inside) else len(heard)
        before = inside[index - 1].end if index else 0
        start = _over_quotation(text, silent, span.start + part.start, span.start + before, step=-1)
        end = _over_quotation(text, silent, span.start + part.end, span.start + behind, step=1)
        tail = heard[part.end :] if index == len(inside) - 1 else ""
        said = part.text[:HEARD_CHARS]
        theirs = says("reported", said) and not says("concludes", said)
        if reported and not theirs and (says("speaks_self", said) or (not quoted and says("addressed", said))):
            reported = False
        quoted = (quoted or says("speech", said)) if theirs else quoted and reported
        reported = reported or theirs
        polite = says("polite", said) or (index + 1 < len(inside) and says("inverted", said))
        asks = says("asks", said + tail.strip()[:1]) and not polite
        own = not reported and (polite or not (says("no_wish", said) or _idle(said))) and not _code(said)
        own = own and not (index and says("bare_none", said) and says("there_is", inside[index - 1].text))
        parts.append(Clause(Span(text[start:end], start, end), said, own, asks))
    sentence = Sentence(span, heard[: 4 * HEARD_CHARS], tuple(parts))
    return _of_another(sentence) if any(says("attributed", part.heard) for part in parts[1:]) else sentence


def _of_another(sentence: Sentence) -> Sentence:
    """Take from the person what someone else said, but for what speaks of the assistant's talk: it may be passed on."""
    return sentence._replace(
        clauses=tuple(part if _of_talk(part.heard) else part._replace(own=False) for part in sentence.clauses)
    )


def _idle(said: str) -> bool:
    """Whether a clause is talk of daily life; what speaks of the assistant's work or is said for good never is."""
    if not says("idle", said) or says("of_work", said) or _names_a_key(said):
        return False
    return not (says("lasting", said) and says("ordered", said))


def _of_talk(said: str) -> bool:
    return says("names_talk", said) or _names_a_key(said)


def _names_a_key(said: str) -> bool:
    found = keyed(said)
    return found is not None and found.key.name not in _OF_ANYTHING


def _unbracketed(clause: Span) -> tuple[Span, ...]:
    """Part a ban in brackets from what is asked for around it: "Answer in English (never in German)"."""
    found = _INSIDE.search(clause.text)
    before = clause.text[: found.start()] if found else ""
    alone = clause.text.count("(") + clause.text.count("（") == 1
    if found is None or not alone or not says("forbid", found[1]) or is_negated(before) or not keyed(before):
        return (clause,)
    edges = ((0, found.start()), found.span(1), (found.end(), len(clause.text)))
    parts = (trimmed(clause.text, *edge) for edge in edges)
    return tuple(Span(each.text, clause.start + each.start, clause.start + each.end) for each in parts if each.text)


def _parted(clause: Span) -> tuple[Span, ...]:
    """Part what is so, or asked, from what is asked next where only "and" stands between them."""
    parts: list[Span] = []
    while (added := find("added", clause.text)) is not None:
        first = clause.text[: added.start()]
        if says("task", first) or not (keyed(first) or says("forbid", first)):
            break
        parts.append(Span(first, clause.start, clause.start + len(first)))
        clause = Span(clause.text[added.end() :], clause.start + added.end(), clause.end)
    joined = find("joined", clause.text)
    if joined is None:
        return (*parts, clause)
    at = joined.end()
    return (
        *parts,
        Span(clause.text[:at].rstrip(), clause.start, clause.start + len(clause.text[:at].rstrip())),
        Span(clause.text[at:], clause.start + at, clause.end),
    )


def _over_quotation(text: str, silent: str, position: int, limit: int, *, step: int) -> int:
    """Move a clause's edge over the quotation that touches it: the quoted words belong to the wish, unheard."""
    edge, at = position, position if step > 0 else position - 1
    while (at < limit if step > 0 else at >= limit) and silent[at].isspace():
        if not text[at].isspace():
            edge = at + 1 if step > 0 else at
        at += step
    return edge


def _code(text: str) -> bool:
    """Whether a clause is a line of code or of a log: thick with its marks, and no Chinese letter in it."""
    if _COMMENTED.search(text):
        return True
    return not _HAN_LETTER.search(text) and len(_CODE_LIKE.findall(text)) > max(2, len(text) // 12)


def only_an_occasion(clause: Clause) -> bool:
    """Whether a clause says when, and nothing else: "Once I say we're done", "要是答案不确定"."""
    found = find("when", clause.heard)
    return clause.own and found is not None and len(clause.heard) - (found.end() - found.start()) <= 6


def only_for_good(clause: Clause) -> bool:
    """Whether a clause says only that a wish holds for good, as "From now on"; "every time I call" says more."""
    return says("lasting", clause.heard) and not without("lasting", clause.heard).strip(" ,，.。、;；:：")


def only_frames(clause: Clause) -> bool:
    """Whether a clause says only how long or when a wish holds: "From now on", "For this entire conversation"."""
    said = clause.heard
    framed = says("lasting", said) or says("session", said) or find("when", said) is not None
    short = len(said) <= 12 if detect_language(said) is Language.CHINESE else len(said.split()) <= 6
    return framed and short and says("frame_alone", said)
