"""Sentences: where a text of any script ends one and begins the next. Pure."""

import re
from collections.abc import Iterator

from concord.text.tokens import CLOSERS, HANGUL, STOPS, UNSPACED

_CLOSING = f"[{re.escape(CLOSERS)}]*"
_CITED = r"(?:\[\d+(?:\s*[,;–-]\s*\d+)*\])*"
_NEXT = re.compile(r"\s*(\S?)")
_SPACED_STOPS = ".．!?…‥"  # inside 3.5, x?y=1 and 他……走了 they end nothing
_UNSPACED_STOPS = "".join(stop for stop in STOPS if stop not in _SPACED_STOPS)
_RUN = rf"(?<![{re.escape(_SPACED_STOPS)}])[{re.escape(_SPACED_STOPS)}]++"  # whole, so in one go
_ENDINGS = "다요까죠"  # by which Korean sentences end, also where no space follows
_END = re.compile(
    rf"(?:[{re.escape(_UNSPACED_STOPS)}][{re.escape(STOPS)}]*"
    rf"|{_RUN}(?<=[!?])(?=[{UNSPACED}{HANGUL}])"
    rf"|(?<=[{UNSPACED}])．|(?<=[{_ENDINGS}])\.(?=[{HANGUL}])"
    rf"|{_RUN}(?={_CLOSING}{_CITED}(?:\s|$)))"
    rf"{_CLOSING}{_CITED}"
)
# The particles by which Japanese and Korean hang a quotation on its verb.
_QUOTING = re.compile(r"と|って|이?라고|하고|라는|라며")
_ABBREVIATIONS = frozenset(
    {"e.g", "i.e", "cf", "vs", "mr", "mrs", "ms", "dr", "prof", "st", "fig", "figs", "eq", "al"}
)
_BEFORE_NUMBERS = frozenset({"no", "nos", "p", "pp", "vol", "ch", "sec", "art", "ca", "approx"})
_ALSO_LAST = frozenset({"etc", "inc", "ltd", "co", "corp", "jr", "sr", "a.m", "p.m"})
_INITIALS = re.compile(r"[a-z](?:\.[a-z])+")


def sentences(text: str) -> list[str]:
    """The sentences of a text in order, each with its closing mark, stripped.

    A sentence ends after . ! ? … before white space, after 。！？ anywhere, after the full-width
    point of a Japanese word and the point of a Korean verb, and with its line;
    quotes, brackets and citations such as [1] that close behind the mark belong to it. 3.5, e.g.,
    initials, the number of a list item and a quotation that the sentence goes on behind do not end
    one. White space alone gives [].

    Known limits: a sentence broken over two lines is two; “他说：“走！”他走了。” ends behind the
    quote, as nothing tells it from a new sentence; “etc.” and “p.m.” end a sentence only before
    what is no small letter, and “U.S.” never does; Thai and Lao, which write no stop, stay whole.
    """
    return [part for line in text.splitlines() for part in _of_line(line)]


def _of_line(line: str) -> Iterator[str]:
    start = 0
    for stop in _END.finditer(line):
        if _is_continued(line, start, stop.end()):
            continue
        if sentence := line[start : stop.end()].strip():
            yield sentence
        start = stop.end()
    if rest := line[start:].strip():
        yield rest


def _is_continued(line: str, start: int, end: int) -> bool:
    """True where a sentence continues after a mark that seems to end it."""
    following = _NEXT.match(line, end).group(1)
    if line[end - 1] in CLOSERS and (_QUOTING.match(line, end) or following.islower()):
        return True
    return line[end - 1] == "." and _is_abbreviation(line[start:end], following)


def _is_abbreviation(sentence: str, following: str) -> bool:
    """True where a full stop belongs to the last word, given the character that follows."""
    *before, last = sentence.rsplit(maxsplit=1)
    if last.endswith(".."):
        return False
    word = last.rstrip(".").lstrip("([\"'“‘").casefold()
    if word in _ALSO_LAST:
        return following.islower()
    if word in _BEFORE_NUMBERS:
        return following.isdigit()
    is_initial = len(word) == 1 and word.isascii() and word.isalpha() and word != "i"
    is_number_of_list = not before and word.isdigit()
    listed = word in _ABBREVIATIONS or _INITIALS.fullmatch(word) is not None
    return listed or is_initial or is_number_of_list
