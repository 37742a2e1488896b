"""The window's marks fire by the tokens that the server counts, whatever the script (BUG-21)."""

from __future__ import annotations

from pathlib import Path

import pytest

from ninefold.state import Language
from tests.bugs.wire_laws import agent_with, counted, events, over_the_window
from tests.turn.agents import Body
from tests.wire.replies import Say

TALK = {
    Language.CHINESE: "第 {n} 件事：今天我们去了公园，看到很多花，也遇见了许久未见的老朋友，大家聊得很开心。" * 4,
    Language.ENGLISH: "Thing {n}: today we went to the park, saw many flowers and met old friends of ours. " * 6,
}


def window_tokens(body: Body) -> int:
    """Give what the server counts of a request beyond its system message."""
    return counted(body) - counted({**body, "messages": body["messages"][:1]})


@pytest.mark.parametrize("language", Language)
@pytest.mark.parametrize("mark", [900, 2000])
def test_the_window_is_cut_within_a_tenth_of_its_mark_in_real_tokens(
    tmp_path: Path, mark: int, language: Language
) -> None:
    words = TALK[language]
    with agent_with(
        tmp_path, default=words.format(n="0"), memory=False, recent_keep=200, summary_threshold_tokens=mark
    ) as a:
        before = 0
        for number in range(60):
            a.say(words.format(n=number))
            if events(a, "compacted"):
                break
            before = window_tokens(a.wire.chats[-1])
            assert events(a, "threshold_checked")[-1].needed == counted(a.wire.chats[-1])
        turn = window_tokens(a.wire.chats[0]) * 2
    # The last window that was left alone was at most a tenth over the mark, the next would have been over it.
    assert before <= mark * 1.1
    assert before + turn >= mark * 0.9


@pytest.mark.parametrize("language", Language)
def test_every_threshold_reads_what_the_server_counts(tmp_path: Path, language: Language) -> None:
    with agent_with(tmp_path, default=TALK[language].format(n=1), memory=False) as a:
        for number in range(8):
            a.say(TALK[language].format(n=number))
            checked = events(a, "threshold_checked")[-1]
            assert checked.needed == counted(a.wire.chats[-1])
            real = window_tokens(a.wire.chats[-1])
            assert abs(checked.window - real) <= real * 0.1


@pytest.mark.parametrize("language", Language)
def test_a_model_whose_tokenizer_is_not_known_is_never_counted_under_its_bytes(
    tmp_path: Path, language: Language
) -> None:
    """No byte-level tokenizer makes more tokens than bytes: the prompt's bytes and the reply fit the window."""

    def answer(body: Body) -> Say:
        return Say(TALK[language].format(n=1))

    with agent_with(tmp_path, answer, model_name="unheard-of:7b", memory=False, num_ctx=4096) as a:
        for number in range(8):
            a.say(TALK[language].format(n=number))
        for body in a.wire.chats:
            size = sum(len(str(m.get("content", "")).encode()) for m in body["messages"])
            assert size + body["options"]["num_predict"] <= body["options"]["num_ctx"]
            assert over_the_window(body) == ""
