"""Quote: whether a passage stands word for word in a text, and how long a text is in any script.

Pure. Line ends and spaces are where layout was, not what was written, so white space is compared
as one space, and between two characters of a script that writes none as nothing.
"""

import re
import unicodedata

_UNSPACED = "\u3000-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\uff00-\uffef\U00020000-\U0003ffff"
_WITHIN_UNSPACED = re.compile(rf"(?<=[{_UNSPACED}])[^\S\u3000]+(?=[{_UNSPACED}])")
_DENSE = re.compile(
    "[\u1100-\u11ff\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7ff\uf900-\ufaff]"
)

# A Chinese, Japanese or Korean character says about as much as three letters of an alphabet.
LETTERS_PER_DENSE = 3


def levelled(text: str) -> str:
    """The text with white space levelled: runs are one space, none inside Chinese or Japanese."""
    inner = re.sub(r"\s+", " ", text).strip()
    return _WITHIN_UNSPACED.sub("", inner)


def occurs(quote: str, text: str) -> bool:
    """Whether a quote stands in a text letter by letter; an empty quote stands nowhere."""
    wanted = levelled(quote)
    return bool(wanted) and wanted in levelled(text)


def place(quote: str, text: str) -> tuple[int, int] | None:
    """Where a quote begins and ends in the text as it is; None where it does not occur."""
    if not occurs(quote, text):
        return None
    pattern = r"\s*".join(re.escape(c) for c in levelled(quote) if not c.isspace())
    found = re.search(pattern, text)
    return found and found.span()


def length(text: str) -> int:
    """How long a text is in letters and digits of any script; a CJK character counts three."""
    written = sum(unicodedata.category(char)[0] in "LN" for char in text)
    return written + (LETTERS_PER_DENSE - 1) * len(_DENSE.findall(text))
