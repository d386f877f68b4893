"""Quotations: verbatim passages in a text, and the length of a text in any script.

Pure. Line ends and spaces come from layout and letter width from typing, not from the wording. So
letters are compared in NFKC, and white space as one space, or as nothing next to a character of a
script that is written without spaces.
"""

import re
import unicodedata

_UNSPACED = "\u3000-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\uff00-\uffef\U00020000-\U0003ffff"
_BESIDE_UNSPACED = re.compile(rf"(?<=[{_UNSPACED}])\s+|\s+(?=[{_UNSPACED}])")
# What NFKC may join to the letter before it: marks, parts of Korean syllables, sound marks of kana.
_LETTER = re.compile("(?s).[\u0300-\u036f\u1160-\u11ff\u3099\u309a\uff9e\uff9f]*")
_DENSE = re.compile(
    "[\u1100-\u11ff\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7ff\uf900-\ufaff]"
)

# A Chinese, Japanese or Korean character says about as much as three letters of an alphabet.
LETTERS_PER_DENSE = 3


def levelled(text: str) -> str:
    """Return the text in NFKC; runs of white space become one space, or none next to Chinese."""
    inner = re.sub(r"\s+", " ", unicodedata.normalize("NFKC", text)).strip()
    return _BESIDE_UNSPACED.sub("", inner)


def occurs(quote: str, text: str) -> bool:
    """True where a quote occurs verbatim in a text; an empty quote never does."""
    wanted = levelled(quote)
    return bool(wanted) and wanted in levelled(text)


def find(quote: str, text: str) -> tuple[int, int] | None:
    """Return start and end of a quote in the original text; None where it does not occur."""
    if not occurs(quote, text):
        return None
    letters, spans = _letters(text)
    pattern = r"\s*".join(re.escape(c) for c in levelled(quote) if not c.isspace())
    found = re.search(pattern, letters)
    return found and (spans[found.start()][0], spans[found.end() - 1][1])


def _letters(text: str) -> tuple[str, list[tuple[int, int]]]:
    """Return the text in NFKC, and the position of each of its letters in the original text."""
    letters, spans = [], []
    for one in _LETTER.finditer(text):
        said = unicodedata.normalize("NFKC", one.group())
        letters.append(said)
        spans += [one.span()] * len(said)
    return "".join(letters), spans


def length(text: str) -> int:
    """Return the length in letters and digits of any script; a CJK character counts three."""
    written = sum(unicodedata.category(char)[0] in "LN" for char in text)
    return written + (LETTERS_PER_DENSE - 1) * len(_DENSE.findall(text))
