"""Prompt diff: changes from one text to another, by line and by word. Pure."""

import re
from difflib import SequenceMatcher
from typing import NamedTuple

SAME, OUT, IN, SKIPPED = "same", "out", "in", "skipped"
AROUND = 2
_WORDS = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7a3]|\w+|\s+|[^\w\s]")
_ALIKE = 0.5


class Line(NamedTuple):
    """One line of a diff.

    Attributes:
        kind: `same`, `out` (of the first text alone), `in` (of the second), or `skipped`.
        parts: Runs of text and whether each was changed; of a skipped stretch, how many lines.
    """

    kind: str
    parts: tuple[tuple[str, bool], ...]

    @property
    def text(self) -> str:
        """The line unchanged."""
        return "".join(text for text, _ in self.parts)


def diff(first: str, second: str, around: int = AROUND) -> list[Line]:
    """Return the line diff of two texts; long unchanged stretches are skipped.

    `around` is the number of unchanged lines of context around a change.

    Returns:
        Empty for equal texts.
    """
    old, new = first.splitlines(), second.splitlines()
    found: list[Line] = []
    codes = SequenceMatcher(None, old, new, autojunk=False).get_opcodes()
    if all(kind == "equal" for kind, *_ in codes):
        return found
    for place, (kind, i1, i2, j1, j2) in enumerate(codes):
        if kind == "equal":
            found += _context_lines(old[i1:i2], around, place == 0, place == len(codes) - 1)
        else:
            found += _changed(old[i1:i2], new[j1:j2])
    return found


def _context_lines(lines: list[str], around: int, at_start: bool, at_end: bool) -> list[Line]:
    head, tail = (0 if at_start else around), (0 if at_end else around)
    if len(lines) <= head + tail + 1:
        return [_plain(SAME, line) for line in lines]
    skipped = len(lines) - head - tail
    return [
        *(_plain(SAME, line) for line in lines[:head]),
        Line(SKIPPED, ((str(skipped), False),)),
        *(_plain(SAME, line) for line in lines[len(lines) - tail :]),
    ]


def _changed(old: list[str], new: list[str]) -> list[Line]:
    """Lines taken out and put in; those that are alike are marked word by word."""
    out, come = [_plain(OUT, line) for line in old], [_plain(IN, line) for line in new]
    for place, (one, other) in enumerate(zip(old, new, strict=False)):
        before, after = _WORDS.findall(one), _WORDS.findall(other)
        matched = SequenceMatcher(None, before, after, autojunk=False)
        if _alike(before, after) < _ALIKE:
            continue
        codes = matched.get_opcodes()
        out[place] = Line(OUT, _parts(before, [(k, i1, i2) for k, i1, i2, _, _ in codes]))
        come[place] = Line(IN, _parts(after, [(k, j1, j2) for k, _, _, j1, j2 in codes]))
    return [*out, *come]


def _alike(before: list[str], after: list[str]) -> float:
    """Return the similarity of two lines, 0 to 1, ignoring white space."""
    words = ([word for word in side if not word.isspace()] for side in (before, after))
    return SequenceMatcher(None, *words, autojunk=False).ratio()


def _parts(words: list[str], runs: list[tuple[str, int, int]]) -> tuple[tuple[str, bool], ...]:
    return tuple(
        ("".join(words[start:end]), kind != "equal") for kind, start, end in runs if end > start
    )


def _plain(kind: str, line: str) -> Line:
    return Line(kind, ((line, False),))
