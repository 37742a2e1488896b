"""Thirty days of two people in many threads, told in both languages: at the end exactly the right things are known."""

from pathlib import Path

import pytest

from ninefold.adapters.memory.chroma import ChromaMemory
from ninefold.state import Fate, MemoryKind, MemoryStatus

from .bag_of_words import BagOfWords
from .stores import STAMP
from .turns import Conversation

STORY = {
    "zh": [
        (1, "ann", "你好，我叫安娜"),
        (1, "ann", "我喜欢详细的回答"),
        (2, "bob", "我叫鲍勃，我住在广州"),
        (3, "ann", "今天天气真好"),
        (4, "ann", "我住在北京"),
        (6, "ann", "项目的预算是 3 万"),
        (8, "bob", "我喜欢详细的回答"),
        (10, "ann", "我不喜欢详细的回答"),
        (12, "ann", "谢谢你"),
        (15, "ann", "我搬到上海了"),
        (18, "ann", "项目的预算改成 5 万"),
        (20, "bob", "项目的预算是 9 万"),
        (22, "ann", "我喜欢详细的回答"),
        (25, "ann", "我搬到上海了"),
        (28, "ann", "哈哈哈"),
    ],
    "en": [
        (1, "ann", "Hello! My name is Anna."),
        (1, "ann", "I like detailed answers."),
        (2, "bob", "My name is Bob. I live in Boston."),
        (3, "ann", "What a beautiful day!"),
        (4, "ann", "I live in Berlin."),
        (6, "ann", "The project budget is 30000 euros."),
        (8, "bob", "I like detailed answers."),
        (10, "ann", "I don't like detailed answers."),
        (12, "ann", "Thanks a lot!"),
        (15, "ann", "I moved to Munich."),
        (18, "ann", "The project budget has changed to 50000 euros."),
        (20, "bob", "The project budget is 90000 euros."),
        (22, "ann", "I like detailed answers."),
        (25, "ann", "I moved to Munich."),
        (28, "ann", "haha"),
    ],
}
KNOWN = {
    "zh": {
        "ann": {"你好，我叫安娜", "我喜欢详细的回答", "我搬到上海了", "项目的预算改成 5 万"},
        "bob": {"我叫鲍勃", "我住在广州", "我喜欢详细的回答", "项目的预算是 9 万"},
    },
    "en": {
        "ann": {
            "My name is Anna.",
            "I like detailed answers.",
            "I moved to Munich.",
            "The project budget has changed to 50000 euros.",
        },
        "bob": {
            "My name is Bob.",
            "I live in Boston.",
            "I like detailed answers.",
            "The project budget is 90000 euros.",
        },
    },
}
QUESTION = {"zh": "项目的预算是多少？", "en": "What is the project budget?"}


@pytest.mark.parametrize("language", ["zh", "en"])
def test_after_thirty_days_exactly_the_right_things_are_known_and_recalled(tmp_path: Path, language: str) -> None:
    memory = ChromaMemory(tmp_path, BagOfWords(512), STAMP)
    for index, (day, user, words) in enumerate(STORY[language]):
        Conversation(memory, user=user, thread=f"{user}-{index}").say(words, day=day)
    for user, expected in KNOWN[language].items():
        active = memory.records(user, status=MemoryStatus.ACTIVE)
        assert {record.text for record in active} == expected
        talk = Conversation(memory, user=user, thread=f"{user}-end")
        talk.say(QUESTION[language], day=30)
        assert set(talk.recalled) == expected
    moved = [r for r in memory.records("ann", status=MemoryStatus.ACTIVE) if "Munich" in r.text or "上海" in r.text]
    assert (moved[0].seen or "").startswith("2026-03-25")
    (budget,) = [r for r in memory.records("ann", status=MemoryStatus.ACTIVE) if "5" in r.text]
    assert (budget.hits, (budget.last_hit or "")[:10]) == (1, "2026-03-30")


@pytest.mark.parametrize("language", ["zh", "en"])
def test_small_talk_in_a_new_thread_brings_what_is_known_about_the_person_only(tmp_path: Path, language: str) -> None:
    memory = ChromaMemory(tmp_path, BagOfWords(512), STAMP)
    for index, (day, user, words) in enumerate(STORY[language]):
        Conversation(memory, user=user, thread=f"{user}-{index}").say(words, day=day)
    talk = Conversation(memory, thread="new")
    talk.say({"zh": "早上好", "en": "good morning"}[language], day=30)
    kinds = {candidate.kind for candidate in talk.candidates if candidate.fate is Fate.RECALLED}
    assert kinds <= {MemoryKind.PREFERENCE, MemoryKind.PROFILE}
    assert kinds
