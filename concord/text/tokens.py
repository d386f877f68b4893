"""Words and terms of a text in any script, without a dictionary or a download.

Scripts that put no spaces between words (Chinese, Japanese, Thai, Lao, Khmer, Burmese) are taken
character by character; Korean, whose words carry their particles with them, by syllable and word.
"""

import re
import unicodedata
from collections.abc import Iterator, Sequence

from concord.text.normal_form import normalised

UNSPACED = (
    "\u2e80-\u2fdf\u3005-\u3007\u3021-\u3029\u3038-\u303c\u3041-\u3096\u309d-\u309f\u30a1-\u30fa"
    "\u30fc-\u312f\u31a0-\u31bf\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"
    "\U00020000-\U000323af\u0e01-\u0e4e\u0e80-\u0ece\u1000-\u104f\u1780-\u17d3"
)
HANGUL = "\u1100-\u11ff\u3131-\u318e\ua960-\ua97c\uac00-\ud7fb"


def _marks() -> str:
    """The combining marks of the basic plane, as the inside of a character class.

    The word class of `re` lacks them, which would cut Hindi words at every vowel sign.
    """
    codes = [c for c in range(0x300, 0xFE30) if unicodedata.category(chr(c))[0] == "M"]
    starts = [c for c, before in zip(codes, [0, *codes], strict=False) if c != before + 1]
    ends = [c for c, after in zip(codes, [*codes[1:], 0], strict=True) if after != c + 1]
    return "".join(f"{chr(a)}-{chr(b)}" for a, b in zip(starts, ends, strict=True))


_MARKS = _marks()
_LETTER = rf"(?:[^\W{UNSPACED}{HANGUL}]|(?![{UNSPACED}])[{_MARKS}])"
_SPACED = rf"{_LETTER}+(?:(?:['’]|(?<=\d)[.,:](?=\d)){_LETTER}+)*"
_TOKEN = re.compile(rf"{_SPACED}|[{UNSPACED}][{_MARKS}]*|[{HANGUL}]")
_RUN = re.compile(rf"[{UNSPACED}{_MARKS}]+|[{HANGUL}]+|{_SPACED}")
_FIRST_UNSPACED = re.compile(f"[{UNSPACED}]")
_FIRST_HANGUL = re.compile(f"[{HANGUL}]")

STOPS = ".!?。｡！？．…‥؟।॥۔։"
CLOSERS = "\"'”’»›)]}）］｝」』】〉》〕*_`"


def tokens(text: str) -> list[str]:
    """The words of a text in order: what counts as one step in a sequence.

    A word in a spaced script, a number with its separators (3.5, 10:30), a single character of an
    unspaced script, a single Korean syllable. NFKC, case-folded; punctuation is left out.
    """
    return _TOKEN.findall(normalised(text))


def terms(text: str) -> list[str]:
    """Return the terms of a text for a bag-of-words comparison: more lenient than `tokens`.

    A spaced word or number counts once. A run of unspaced script gives its characters and its pairs
    of neighbours; a Korean word gives itself, if longer than a syllable, and its pairs of
    syllables, so that the same noun with another particle still overlaps.
    """
    return [term for run in _RUN.findall(normalised(text)) for term in _terms_of(run)]


def ngrams(sequence: Sequence[str], size: int) -> list[tuple[str, ...]]:
    """Return all n-grams of `size`; none where the sequence is shorter."""
    return list(zip(*(sequence[start:] for start in range(size)), strict=False))


def ends_mid_sentence(text: str) -> bool:
    """True where the text stops in mid-sentence: no closing mark after its last word.

    A list item, table row, heading or code block needs no closing mark. Empty text is not open.
    """
    last = text.rstrip().splitlines()[-1].strip() if text.strip() else ""
    if not last or re.match(r"[-*•·+|#]\s?|\d+[.)、]\s|```|~~~", last):
        return False
    bare = last.rstrip(CLOSERS)
    return not bare.endswith(tuple(STOPS)) and bool(bare)


def _terms_of(run: str) -> Iterator[str]:
    """The terms of one run of characters of one kind of script."""
    if _FIRST_HANGUL.match(run):
        yield run
        if len(run) > 2:
            yield from map("".join, ngrams(run, 2))
    elif _FIRST_UNSPACED.match(run):
        characters = _TOKEN.findall(run)
        yield from characters
        yield from map("".join, ngrams(characters, 2))
    else:
        yield run
