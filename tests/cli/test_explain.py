"""`ninefold explain` finds, alone, why words are not in the prompt, and where they are when they are."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

from ninefold.cli import run
from ninefold.explaining import explain, sentences
from ninefold.sessions import opened
from ninefold.state import AgentSettings, Cause, ChangeKind, Finding, InputError, Language, LayerName
from ninefold.wording import Wording
from tests.turn.agents import agent


class Session(NamedTuple):
    """Conversations with causes planted in them, in one language."""

    language: Language
    work: tuple[str, ...]
    """Said on the thread `work`, which keeps only four messages."""
    later: tuple[str, ...]
    """Said on the thread `later` of the same person."""


FILLING = "  ".join(f"{place:04d}" for place in range(1500))

CHINESE = Session(
    Language.CHINESE,
    (
        "以后所有金额都用人民币表示。",
        "报告要用表格。",
        "昨天路上看见一只白鹭，飞得很低。",
        "改成用列表，不要表格了。",
        "我们决定用 PostgreSQL，端口是 18443。",
        *(f"第{place}次闲聊：天气不错，适合散步。" for place in range(6)),
        f"看看这份清单：{FILLING} 仓库代号是海棠。{FILLING} 就这些。",
    ),
    ("你好呀", "我们之前定的端口是多少？"),
)
ENGLISH = Session(
    Language.ENGLISH,
    (
        "From now on show all amounts in euros.",
        "Always answer with a table.",
        "Yesterday a heron flew very low over the road.",
        "No tables any more, use a list instead.",
        "We decided to use PostgreSQL, on port 18443.",
        *(f"Small talk number {place}: nice weather for a walk." for place in range(6)),
        f"Look at this list: {FILLING} The warehouse is called Begonia. {FILLING} That is all.",
    ),
    ("Hello there", "Where did the data go, as I told you earlier?"),
)


class Kept(NamedTuple):
    """A session's folder after all was said."""

    session: Session
    settings: AgentSettings
    folder: Path

    def ask(self, words: str, thread: str = "work", turn: int | None = None) -> tuple[Finding, ...]:
        """Give what is explained."""
        with opened(self.settings) as place:
            return explain(place, thread, "ann", words, turn).findings

    def one(self, cause: Cause, words: str, thread: str = "work", turn: int | None = None) -> Finding:
        """Give the finding of a cause, which must be there."""
        findings = self.ask(words, thread, turn)
        assert cause in [finding.cause for finding in findings], findings
        return next(finding for finding in findings if finding.cause is cause)


@pytest.fixture(scope="module", params=[CHINESE, ENGLISH], ids=["zh", "en"])
def kept(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Kept]:
    folder = tmp_path_factory.mktemp("explained")
    session: Session = request.param
    with agent(folder, recent_keep=4, memory_search_min_score=0.98) as talking:
        for words in session.work:
            talking.say(words, "work")
        for words in session.later:
            talking.say(words, "later")
        yield Kept(session, talking.settings, folder)


def pick(kept: Kept, chinese: str, english: str) -> str:
    return chinese if kept.session.language is Language.CHINESE else english


def test_what_was_never_said(kept: Kept) -> None:
    assert [finding.cause for finding in kept.ask(pick(kept, "潜水艇", "submarine"))] == [Cause.NEVER_SAID]


def test_what_was_said_and_not_stored(kept: Kept) -> None:
    found = kept.one(Cause.NOT_STORED, pick(kept, "白鹭", "heron"))
    assert found.turn == 3
    assert found.reason


def test_what_was_compacted_names_the_strategy_the_verdict_and_the_turn(kept: Kept) -> None:
    found = kept.one(Cause.COMPACTED, pick(kept, "白鹭", "heron"))
    assert (found.said, found.strategy, found.proven) == (3, "summary", True)
    assert found.turn is not None
    assert found.turn > 3


def test_what_was_replaced_names_the_words_that_hold_instead(kept: Kept) -> None:
    found = kept.one(Cause.CONSTRAINT_ENDED, pick(kept, "报告要用表格", "Always answer with a table"))
    assert (found.said, found.turn, found.change) == (2, 4, ChangeKind.CHANGED)
    assert pick(kept, "列表", "No tables any more") in found.by


def test_what_was_not_searched_for_and_what_was_too_far_away(kept: Kept) -> None:
    assert kept.one(Cause.NOT_SEARCHED, "18443", "later", turn=1).reason
    found = kept.one(Cause.BELOW_THRESHOLD, "18443", "later")
    assert found.score is not None
    assert found.minimum is not None
    assert found.score < found.minimum


def test_what_the_budget_cut_off(kept: Kept) -> None:
    found = kept.one(Cause.CLIPPED, pick(kept, "海棠", "Begonia"))
    assert found.layer is LayerName.CURRENT
    assert found.reference


def test_what_is_there_is_shown_with_its_layer_and_place(kept: Kept) -> None:
    found = kept.ask(pick(kept, "人民币", "euros"))[0]
    assert (found.cause, found.layer, found.position) == (Cause.IN_PROMPT, LayerName.CONSTRAINTS, 2)
    assert found.tokens


def test_a_rule_that_stands_with_its_request_is_shown_as_a_constraint(kept: Kept) -> None:
    found = kept.ask(pick(kept, "人民币", "euros"), turn=1)[0]
    assert (found.cause, found.layer) == (Cause.IN_PROMPT, LayerName.CONSTRAINTS)
    assert not found.text.startswith("[")


def test_each_finding_is_a_whole_sentence_in_both_languages(kept: Kept) -> None:
    asked = ("18443", "潜水艇", "白鹭", "heron", "海棠", "Begonia", "人民币", "euros", "报告要用表格", "a table")
    with opened(kept.settings) as place:
        for language in Language:
            for words in asked:
                lines = sentences(explain(place, "work", "ann", words), Wording(language))
                assert len(lines) > 1
                assert not any("{" in line or "None" in line for line in lines), lines


def test_a_turn_that_is_not_kept_or_no_words_are_named(kept: Kept) -> None:
    with pytest.raises(InputError, match="99"):
        kept.ask("18443", turn=99)
    with pytest.raises(InputError, match="no words"):
        kept.ask("  ")


def test_another_person_s_session_is_unknown(kept: Kept, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["explain", "work", "--about", "18443", "--user", "bob", *_agent(kept)]) == 1
    assert "no session" in capsys.readouterr().err


def test_the_command_tells_it_as_data_too(kept: Kept, capsys: pytest.CaptureFixture[str]) -> None:
    assert (
        run(["explain", "work", "--about", pick(kept, "白鹭", "heron"), "--user", "ann", "--json", *_agent(kept)]) == 0
    )
    told = json.loads(capsys.readouterr().out)
    assert (told["thread"], told["turn"]) == ("work", len(kept.session.work))
    assert {"compacted", "not_stored"} <= {finding["cause"] for finding in told["findings"]}


TOLD = {
    "zh": ("第 5 轮", "约束更新", "系统提示与工具"),
    "en": ("Turn 5", "constraint_update", "system prompt and tools"),
}


@pytest.mark.parametrize(("lang", "words"), TOLD.items())
def test_a_turn_is_told_whole(
    kept: Kept, capsys: pytest.CaptureFixture[str], lang: str, words: tuple[str, ...]
) -> None:
    asked = ["explain", "work", "--turn", "5", "--user", "ann", *_agent(kept)[:2]]
    assert run([*asked, "--lang", lang]) == 0
    told = capsys.readouterr().out
    assert all(word in told for word in words), told
    assert run([*asked, "--json"]) == 0
    data = json.loads(capsys.readouterr().out)
    assert data["turn"]["number"] == 5
    assert [event["step"] for event in data["trace"]][-1] == "window_roll"
    assert {layer["name"] for layer in data["view"]["layers"]} >= {"fixed", "constraints", "current"}


def _agent(kept: Kept) -> list[str]:
    file = kept.folder / "agent.yaml"
    url, folder = kept.settings.model.base_url, kept.settings.storage.folder
    file.write_text(
        f"agent:\n  model: {{base_url: '{url}'}}\n  embeddings: {{base_url: '{url}'}}\n"
        f"  storage: {{folder: '{folder}'}}\n",
        encoding="utf-8",
    )
    return ["--agent", str(file), "--lang", "en"]
