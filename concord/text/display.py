"""Display of text: control characters as pictures, and how many columns it takes."""

import re
import unicodedata

_INVISIBLE = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\ud800-\udfff]")
_NO_WIDTH = ("Mn", "Me", "Cf")


def visible(text: str) -> str:
    """The text with control characters as their pictures (␀) and lone surrogates as �.

    Tab and line ends stay. Neither kind survives every server, and both can hide from a reader.
    """
    if text.replace("\n", "").isprintable():  # most are, and it is quick to see
        return text
    return _INVISIBLE.sub(_picture, text)


def _picture(match: re.Match) -> str:
    code = ord(match[0])
    if code == 0x7F:
        return "\u2421"
    return chr(0x2400 + code) if code < 0x20 else "\ufffd"


def width(text: str) -> int:
    """Return the number of terminal columns a text takes."""
    if text.isascii():
        return len(text)
    return sum(_columns(letter) for letter in text)


def one_line(text: str, most: int) -> str:
    """A text on one line, cut to `most` characters."""
    line = " ".join(text.split())
    return line if len(line) <= most else f"{line[: most - 1]}…"


def css_text(text: str) -> str:
    """Return a text escaped for a CSS string, which no character of it can end."""
    return "".join(one if one.isalnum() else f"\\{ord(one):x} " for one in text)


def _columns(letter: str) -> int:
    if unicodedata.category(letter) in _NO_WIDTH:
        return 0
    return 2 if unicodedata.east_asian_width(letter) in "WF" else 1
