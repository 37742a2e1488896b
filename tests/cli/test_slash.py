"""What a line typed into a chat is: a command or a message."""

import pytest

from ninefold.console.slash import Slash, known, message_of, slash


@pytest.mark.parametrize(
    ("line", "command"),
    [
        ("/help", Slash("help", "")),
        ("  /why  ", Slash("why", "")),
        ("/compact the prices\n", Slash("compact", "the prices")),
        ("/etc/hosts holds the names", None),
        ("/", None),
        ("//help", None),
        ("1/2", None),
        ("/帮助", None),
    ],
)
def test_a_command_is_a_slash_and_a_word(line: str, command: Slash | None) -> None:
    assert slash(line) == command


def test_two_slashes_begin_a_message_with_one() -> None:
    assert message_of("//help me\n") == "/help me"
    assert message_of(" /etc/hosts ") == "/etc/hosts"


def test_an_unknown_word_is_no_command() -> None:
    assert known(Slash("quit", ""))
    assert not known(Slash("quti", ""))
