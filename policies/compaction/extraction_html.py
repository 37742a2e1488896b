"""A page as the lines a reader sees: headings marked, rows of tables on one line, no markup, scripts or styles."""

from __future__ import annotations

import re
from html.parser import HTMLParser
from typing import Final

_UNSEEN: Final = frozenset({"script", "style", "noscript", "template", "svg", "head"})
_BLOCKS: Final = frozenset(
    {
        "p",
        "div",
        "section",
        "article",
        "header",
        "footer",
        "main",
        "nav",
        "aside",
        "ul",
        "ol",
        "li",
        "table",
        "tr",
        "br",
    }
    | {"h1", "h2", "h3", "h4", "h5", "h6", "pre", "blockquote", "dt", "dd", "figure", "figcaption", "title", "option"}
)
_PAGE: Final = re.compile(r"(?is)^\s*(?:<\?xml[^>]*>\s*)?(?:<!--.*?-->\s*)*<(?:!doctype\s+html|html|head|body)\b")
_TAG: Final = re.compile(
    r"</?(?:div|p|span|a|li|ul|td|tr|table|h[1-6]|section|br|img|strong|em)\b[^>]*>", re.IGNORECASE
)


def is_html(text: str) -> bool:
    """Whether a text is a page or a part of one."""
    return bool(_PAGE.match(text)) or len(_TAG.findall(text[:20_000])) * 40 > len(text[:20_000])


def page_lines(text: str) -> str:
    """Give the lines of a page; a heading begins with #, a list's item with -, cells stand between bars."""
    reader = _Reader()
    reader.feed(text)
    reader.close()
    lines = (" ".join(line.split()).strip("| ").strip() for line in "".join(reader.pieces).split("\n"))
    return "\n".join(line for line in lines if line and line not in ("#", "-"))


class _Reader(HTMLParser):
    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.pieces: list[str] = []
        self._hidden = 0
        self._titled = False

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:  # noqa: ARG002
        if tag == "title":
            self._titled = True
            self.pieces.append("\n# ")
        elif tag in _UNSEEN:
            self._hidden += 1
        elif tag in ("td", "th"):
            self.pieces.append(" | ")
        elif tag in _BLOCKS:
            self.pieces.append("\n" + ("# " if re.fullmatch(r"h[1-6]", tag) else "- " if tag == "li" else ""))

    def handle_endtag(self, tag: str) -> None:
        if tag == "title":
            self._titled = False
            self.pieces.append("\n")
        elif tag in _UNSEEN:
            self._hidden = max(0, self._hidden - 1)
        elif tag in _BLOCKS:
            self.pieces.append("\n")

    def handle_data(self, data: str) -> None:
        if self._titled or not self._hidden:
            self.pieces.append(data)
