"""Fences: how the texts of an item stand in a prompt so that nothing inside them can pose as ours.

A fenced text stands between two lines that carry a tag. The tag is a hash of the item, so a prompt
is reproducible, and a text cannot name its own tag, because the tag depends on the text.
"""

import re

from rubrics.model import digest

PARTS = ("QUESTION", "CONTEXT", "ANSWER", "REFERENCE", "DOCUMENT", "UNITS", "TURNS", "DATE")

_NAME = rf"(?:{'|'.join(PARTS)})\b"
_OPENING = re.compile(rf"[<＜]{{3,}}(?=\s*{_NAME})", re.IGNORECASE)
_CLOSING = re.compile(rf"({_NAME}[^<>＜＞\n]{{0,60}})([>＞]{{3,}})", re.IGNORECASE)
_ANGLE = re.compile("[<＜>＞]")
_CHAT_TOKEN = re.compile(r"<\|([\w :.-]{1,60})\|>")
_INVISIBLE = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\ud800-\udfff]")


def tag(*texts: str) -> str:
    """The code of an item: 16 hex digits that depend on every one of its texts."""
    return digest([visible(text) for text in texts])


def fence(part: str, text: str, code: str, number: int | None = None) -> str:
    """The text between two marker lines, with everything that looks like a marker made harmless."""
    name = part if number is None else f"{part} {number}"
    return f"<<<{name} {code}\n{neutral(text)}\n{name} {code}>>>"


def neutral(text: str) -> str:
    """The text with marker lines and chat-template tokens rewritten with ‹ and ›, for all to see.

    Chat tokens such as `<|im_end|>` matter because some servers obey them inside a message.
    """
    text = visible(text)
    if not _ANGLE.search(text):  # the rule, and quick to see
        return text
    text = _OPENING.sub(lambda m: "‹" * len(m[0]), text)
    text = _CLOSING.sub(lambda m: m[1] + "›" * len(m[2]), text)
    return _CHAT_TOKEN.sub(r"‹|\1|›", text)


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
