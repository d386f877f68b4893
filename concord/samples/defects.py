"""Defects made by code in a good answer: truncated, repeated or inserted text.

Sizes are shares of the pieces of a text: words in English and Korean; in Chinese and Japanese runs
of Latin letters and figures, pairs of characters, and single punctuation marks. Sentences for
`off_topic`. Random choices depend on the seed and the item alone, so that changing one answer
leaves every other unchanged.
"""

import hashlib
import re
from collections.abc import Callable

SYMBOLS = ("@@", "##", "^^", "||", "%%", "¤", "¦", "//")
_WORDS = re.compile(r"\S+")
_PIECES = re.compile(r"[A-Za-z0-9.%]+|[\u3040-\u30ff\u3400-\u9fff]{1,2}|\S")
_WORDLIKE = re.compile(r"(?=.*\w)\D+", re.DOTALL)
_SENTENCES = re.compile(r".+?(?:[.!?](?=\s|$)|[。！？]|$)", re.DOTALL)


def uniform(seed: int, *key: str) -> float:
    """A number in [0, 1) that depends on the seed and the key alone, on every machine."""
    digest = hashlib.sha256("|".join((str(seed), *key)).encode()).digest()
    return int.from_bytes(digest[:8]) / 2**64


def pieces(text: str, language: str) -> list[re.Match]:
    """The pieces whose share a size is, with their places in the text."""
    pattern = _PIECES if language in ("zh", "ja") else _WORDS
    return list(pattern.finditer(text))


def sentences(text: str) -> list[str]:
    """The sentences of a plain paragraph, without the space between them."""
    return [part.strip() for part in _SENTENCES.findall(text) if part.strip()]


def cut_off(text: str, language: str, size: float) -> str:
    """The text without its last pieces, a share of `size`; never ends where a sentence does."""
    found = pieces(text, language)
    kept = found[: len(found) - round(size * len(found))]
    while kept and text[: kept[-1].end()].endswith(tuple(".!?。！？,、，:")):
        kept.pop()
    return text[: kept[-1].end()] if kept else ""


def repeated_words(text: str, language: str, size: float, seed: int, key: str) -> str:
    """The text with words standing there twice in a row, a share of `size` of its pieces.

    Figures are never doubled: 1010 for 10 would be a wrong figure and not a repeated word.
    """
    found = [piece for piece in pieces(text, language) if _WORDLIKE.fullmatch(piece[0])]
    count = round(size * len(pieces(text, language)))
    return _strewn(text, language, _drawn(found, count, seed, key), lambda piece: piece)


def stray_symbols(text: str, language: str, size: float, seed: int, key: str) -> str:
    """The text with a symbol that does not belong there after a share of `size` of its pieces."""
    found = pieces(text, language)
    chosen = _drawn(found, round(size * len(found)), seed, key)
    return _strewn(text, language, chosen, lambda piece: _symbol(seed, key, piece))


def off_topic(text: str, language: str, size: float, donor: str) -> str:
    """The last sentences, a share of `size`, replaced by the first ones of another answer."""
    own = sentences(text)
    replaced = round(size * len(own))
    if replaced == len(own):
        return donor
    gap = "" if language in ("zh", "ja") else " "
    return gap.join(own[: len(own) - replaced] + sentences(donor)[:replaced])


def _drawn(found: list[re.Match], count: int, seed: int, key: str) -> list[re.Match]:
    """So many of the pieces, drawn by the hash of their place."""
    return sorted(found, key=lambda piece: uniform(seed, key, str(piece.start())))[:count]


def _strewn(
    text: str, language: str, chosen: list[re.Match], addition: Callable[[str], str]
) -> str:
    """Put something after each chosen piece, from the last to the first so that places hold."""
    gap = "" if language in ("zh", "ja") else " "
    for piece in sorted(chosen, key=lambda piece: -piece.start()):
        text = text[: piece.end()] + gap + addition(piece[0]) + text[piece.end() :]
    return text


def _symbol(seed: int, key: str, piece: str) -> str:
    return SYMBOLS[int(uniform(seed, key, "symbol", piece) * len(SYMBOLS))]
