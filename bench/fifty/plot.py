"""Lines by turn as SVG, one text that a browser, a notebook and a page of documents show."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape

_COLOURS = ("#1b7f5c", "#b5532a", "#4a5fa8", "#8a8a8a", "#8d4a9e")
_WIDTH, _HEIGHT, _LEFT, _RIGHT, _TOP, _BOTTOM = 720, 320, 64, 16, 36, 56


def plotted(title: str, series: Mapping[str, Sequence[float]], *, unit: str = "tokens") -> str:
    """Give a picture of lines over the turns, from zero, with a legend below.

    Args:
        title: what stands above.
        series: for each name a value per turn.
        unit: what the values are.
    """
    top = _round(max((value for values in series.values() for value in values), default=1) or 1)
    turns = max((len(values) for values in series.values()), default=1)
    wide, high = _WIDTH - _LEFT - _RIGHT, _HEIGHT - _TOP - _BOTTOM

    def across(turn: int) -> float:
        return _LEFT + wide * (turn - 1) / max(1, turns - 1)

    def up(value: float) -> float:
        return _TOP + high * (1 - value / top)

    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH} {_HEIGHT}" width="{_WIDTH}" height="{_HEIGHT}"'
        ' font-family="sans-serif" font-size="12" role="img">',
        f'<rect width="{_WIDTH}" height="{_HEIGHT}" fill="#ffffff"/>',
        f'<text x="{_LEFT}" y="20" font-size="14">{escape(title)}, {escape(unit)}</text>',
    ]
    for step in range(5):
        value = top * step / 4
        line = f'x1="{_LEFT}" x2="{_WIDTH - _RIGHT}" y1="{up(value):.1f}" y2="{up(value):.1f}"'
        parts.append(f'<line {line} stroke="#dddddd"/>')
        parts.append(f'<text x="{_LEFT - 6}" y="{up(value) + 4:.1f}" text-anchor="end">{value:,.0f}</text>')
    parts += [
        f'<text x="{across(turn):.1f}" y="{_HEIGHT - 36}" text-anchor="middle">{turn}</text>'
        for turn in (1, *range(10, turns + 1, 10))
    ]
    place = float(_LEFT)
    for (name, values), colour in zip(series.items(), _COLOURS, strict=False):
        points = " ".join(f"{across(turn):.1f},{up(value):.1f}" for turn, value in enumerate(values, 1))
        parts.append(f'<polyline points="{points}" fill="none" stroke="{colour}" stroke-width="2"/>')
        parts.append(f'<text x="{place:.0f}" y="{_HEIGHT - 12}" fill="{colour}">— {escape(name)}</text>')
        place += 36 + 7.2 * len(name)
    return "\n".join([*parts, "</svg>\n"])


def _round(value: float) -> float:
    """Give the next round number from a value up."""
    size = 1.0
    while size * 10 <= value:
        size *= 10
    return next(size * factor for factor in (1, 2, 4, 8, 10) if size * factor >= value)
