"""A reply shown while it is written ends up on the screen once, whole."""

import io
import re

import pytest
from rich.console import Console

from ninefold.console.stream import MarkdownStream

REPLY = """\
第一段，**重要**。

- one
- two

```python
a = 1

b = 2
```

The last paragraph.
"""


def console(width: int, **environment: str) -> Console:
    settings = {"TERM": "xterm-256color", **environment}
    return Console(file=io.StringIO(), force_terminal=True, width=width, height=8, _environ=settings)


def on_screen(shown: Console) -> str:
    """What is left on the screen: a redraw erases lines before it writes them anew."""
    assert isinstance(shown.file, io.StringIO)
    lines: list[str] = [""]
    for part in re.split(r"(\x1b\[[0-9;?]*[A-Za-z]|\n|\r)", shown.file.getvalue()):
        if part == "\n":
            lines.append("")
        elif part == "\x1b[2K":
            lines[-1] = ""
        elif re.fullmatch(r"\x1b\[\d*A", part):
            if len(lines) > 1:
                lines.pop()
        elif part and part != "\r" and not part.startswith("\x1b"):
            lines[-1] += part
    return "\n".join(line.rstrip() for line in lines)


@pytest.mark.parametrize("width", [40, 100])
@pytest.mark.parametrize("size", [1, 7, 1000])
def test_every_block_is_left_on_the_screen_once(width: int, size: int) -> None:
    shown = console(width)
    with MarkdownStream(shown) as stream:
        stream.wait("reading…")
        for end in range(size, len(REPLY) + size, size):
            stream.show(REPLY[:end])
    screen = on_screen(shown)
    for words in ("第一段，重要。", "one", "two", "a = 1", "b = 2", "The last paragraph."):
        assert screen.count(words) == 1, (words, screen)
    assert "reading" not in screen


def test_what_was_written_stays_when_a_reply_is_stopped() -> None:
    shown = console(80)

    def stopped() -> None:
        with MarkdownStream(shown) as stream:
            stream.show("half a sent")
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        stopped()
    assert on_screen(shown).count("half a sent") == 1


def colours(shown: Console) -> bool:
    with MarkdownStream(shown) as stream:
        stream.show("# Title\n\n`code`")
    assert isinstance(shown.file, io.StringIO)
    return bool(re.search(r"\x1b\[(?:[0-9;]*;)?(?:3[0-8]|4[0-8]|9[0-7])[0-9;]*m", shown.file.getvalue()))


def test_no_color_means_no_colour() -> None:
    assert colours(console(60))
    assert not colours(console(60, NO_COLOR="1"))
