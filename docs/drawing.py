"""Draws small pictures of boxes, arrows and descriptor tables as SVG.

The colours are properties of the picture. A page of the site sets them for its own scheme (``pictures.css``); anywhere
else, the scheme of the reader's system counts. All pictures have one width, which a phone can show.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape

WIDTH = 440
ROW = 24
"""The height of a row of a table, and of a line with air around it."""
STYLE = """\
.picture { --ink: #1f2328; --dim: #59636e; --line: #8c959f; --fill: #f3f5f7; --bad: #c4201d; --bad-fill: #ffe9e7;
  --good: #14713a; --good-fill: #e2f6e8; font-family: system-ui, sans-serif; font-size: 14px; }
@media (prefers-color-scheme: dark) { .picture { --ink: #e6edf3; --dim: #a5afba; --line: #6e7681; --fill: #24292f;
  --bad: #ff8880; --bad-fill: #4a1d1f; --good: #63d385; --good-fill: #163a24; } }
.picture text { fill: var(--ink); } .picture .code { font-family: ui-monospace, monospace; font-size: 13px; }
.picture text.dim { fill: var(--dim); } .picture text.bad { fill: var(--bad); }
.picture text.good { fill: var(--good); }
.picture .strong { font-weight: 600; }
.picture rect { fill: var(--fill); stroke: var(--line); } .picture rect.dim { stroke-dasharray: 4 4; }
.picture rect.bad { fill: var(--bad-fill); stroke: var(--bad); }
.picture rect.good { fill: var(--good-fill); stroke: var(--good); }
.picture path { fill: none; stroke: var(--line); stroke-width: 1.5; }
.picture path.bad { stroke: var(--bad); stroke-width: 2; } .picture path.good { stroke: var(--good); stroke-width: 2; }
.picture path.dim { stroke-dasharray: 4 4; stroke: var(--line); fill: none; }
"""


class Picture:
    """A drawing. Each method adds to it; ``kind`` is empty, ``bad``, ``good`` or ``dim``."""

    def __init__(self, title: str) -> None:
        self.title = title
        self._parts: list[str] = []
        self._bottom = 0.0

    def svg(self) -> str:
        """The text of the file."""
        height = round(self._bottom + 10)
        head = (
            f'<svg xmlns="http://www.w3.org/2000/svg" class="picture" viewBox="-4 0 {WIDTH + 8} {height}" role="img">'
        )
        body = "\n".join(self._parts)
        return f"{head}\n<title>{escape(self.title)}</title>\n<style>\n{STYLE}</style>\n{body}\n</svg>\n"

    def text(self, x: float, y: float, words: str, kind: str = "", anchor: str = "start") -> None:
        """A line of words; what is between backquotes is code. ``y`` is the base line."""
        spans = [
            f'<tspan class="code">{escape(part)}</tspan>' if number % 2 else escape(part)
            for number, part in enumerate(words.split("`"))
        ]
        self._add(f'<text x="{x:g}" y="{y:g}" class="{kind}" text-anchor="{anchor}">{"".join(spans)}</text>', y)

    def box(self, x: float, y: float, width: float, lines: Sequence[str], kind: str = "") -> float:
        """A box with centred lines; gives its lower edge."""
        height = 12 + 19 * len(lines)
        self._add(f'<rect x="{x:g}" y="{y:g}" width="{width:g}" height="{height}" rx="5" class="{kind}"/>', y + height)
        for number, line in enumerate(lines):
            self.text(x + width / 2, y + 20 + 19 * number, line, kind if kind in ("bad", "good") else "", "middle")
        return y + height

    def bar(self, x: float, y: float, width: float, height: float, kind: str = "") -> None:
        """A part of a chart, without words."""
        self._add(f'<rect x="{x:g}" y="{y:g}" width="{width:.1f}" height="{height:g}" class="{kind}"/>', y + height)

    def arrow(self, points: Sequence[tuple[float, float]], kind: str = "", head: bool = True) -> None:
        """A line through the points, with a head at the last one."""
        way = " L".join(f"{x:g} {y:g}" for x, y in points)
        (x1, y1), (x2, y2) = points[-2:]
        length = ((x2 - x1) ** 2 + (y2 - y1) ** 2) ** 0.5 or 1
        back = ((x2 - x1) / length * 7, (y2 - y1) / length * 7)
        wings = [(x2 - back[0] - side * back[1] * 0.6, y2 - back[1] + side * back[0] * 0.6) for side in (1, -1)]
        self._add(f'<path d="M{way}" class="{kind}"/>', max(y for _, y in points))
        if head:
            (ax, ay), (bx, by) = wings
            solid = kind.replace("dim", "")
            self._add(f'<path d="M{ax:.1f} {ay:.1f} L{x2:g} {y2:g} L{bx:.1f} {by:.1f}" class="{solid}"/>', y2)

    def table(self, x: float, y: float, width: float, title: str, rows: Iterable[tuple[str, str, str]]) -> list[float]:
        """A table of descriptors with rows of number, meaning and kind; gives the middle of each row."""
        self.text(x + 2, y + 14, title, "strong")
        middles = []
        top = y + 20
        for number, meaning, kind in rows:
            self._add(f'<rect x="{x:g}" y="{top:g}" width="{width:g}" height="{ROW}" class="{kind}"/>', top + ROW)
            self._add(f'<path d="M{x + 28:g} {top:g} v{ROW}" class="{kind}"/>', top + ROW)
            colour = kind if kind in ("bad", "good", "dim") else ""
            self.text(x + 14, top + 17, f"`{number}`", colour, "middle")
            self.text(x + 36, top + 17, meaning, colour)
            middles.append(top + ROW / 2)
            top += ROW
        return middles

    def cross(self, x: float, y: float) -> None:
        """A red cross."""
        self._add(f'<path d="M{x - 6:g} {y - 6:g} l12 12 m0 -12 l-12 12" class="bad"/>', y + 6)

    def _add(self, part: str, bottom: float) -> None:
        self._parts.append(part)
        self._bottom = max(self._bottom, bottom)
