"""Control characters: shown as their pictures, where text of unknown origin is read or sent."""

import re

_INVISIBLE = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\ud800-\udfff]")


def visible(text: str) -> str:
    """The text with control characters as their pictures (␀) and lone surrogates as �.

    Tab and line ends stay. Neither kind survives every server, and both can hide from a reader.
    """
    return _INVISIBLE.sub(_picture, text)


def _picture(match: re.Match) -> str:
    code = ord(match[0])
    if code == 0x7F:
        return "\u2421"
    return chr(0x2400 + code) if code < 0x20 else "\ufffd"
