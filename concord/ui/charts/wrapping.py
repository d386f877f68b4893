"""Wrapping: titles of charts in lines that fit a narrow window, in any language.

Chinese and Japanese break between any two letters, except before a closing mark; all else, and
Korean too, between words.
"""

import re

from concord.reports.panel.terminal_tables import width

LINE = 40  # columns of a title that fit a window of 390 pixels; a wide letter takes two
_FREE = "\u2e80-\u2fff\u3040-\u30ff\u31c0-\u31ff\u3400-\u9fff"
_CLOSING = "、。，．：；！？）」』】》〉”’"
_PIECE = re.compile(rf"[{_FREE}][{_CLOSING}]*|[^\s{_FREE}]+")


def wrapped(title: str) -> list[str]:
    """A title broken into lines, about as long as one another."""
    pieces = [part for piece in _pieces(title) for part in _cut(piece)]
    lines = _filled(pieces, LINE)
    if len(lines) < 2:
        return lines
    longest = min(max(width(piece.strip()) for piece in pieces), LINE)
    tries = (_filled(pieces, most) for most in range(longest, LINE))
    return next((even for even in tries if len(even) == len(lines)), lines)


def _pieces(title: str) -> list[str]:
    """What may begin a line, each with the space before it."""
    ends = [found.end() for found in _PIECE.finditer(title)]
    return [title[a:b] for a, b in zip([0, *ends], ends, strict=False)]


def _cut(piece: str) -> list[str]:
    """A piece that no line holds, in several."""
    if width(piece.strip()) <= LINE:
        return [piece]
    bare = piece.strip()
    at = next(place for place in range(len(bare), 0, -1) if width(bare[:place]) <= LINE)
    return [bare[:at], *_cut(bare[at:])]


def _filled(pieces: list[str], most: int) -> list[str]:
    """Lines of at most so many columns, each as full as can be."""
    lines: list[str] = []
    for piece in pieces:
        if lines and width(lines[-1] + piece) <= most:
            lines[-1] += piece
        else:
            lines.append(piece.strip())
    return lines
