"""Detection of a text file's encoding from its bytes, with the certainty of the guess.

The candidates: UTF-8 and UTF-16 with or without a byte order mark, GB18030, Shift-JIS, EUC-KR, and
Windows-1252 as the last resort. UTF-8 proves itself. The three East Asian encodings share most of
their byte pairs, so each strict decoding is weighed by how likely its characters are in that
language (see `charset`); the likeliest wins, and close candidates are named.
"""

import codecs
import re
import unicodedata
from typing import NamedTuple

from concord.importing.readers.charset import ASCII_NATS, log_likelihood
from concord.messages import Problem, joined, said

LABELS = {
    "utf-8-sig": "UTF-8",
    "utf-16": "UTF-16",
    "utf-16-le": said("UTF-16 (little endian)"),
    "utf-16-be": said("UTF-16 (big endian)"),
    "gb18030": said("GB18030 (Chinese)"),
    "cp932": said("Shift-JIS (Japanese)"),
    "cp949": said("EUC-KR (Korean)"),
    "big5hkscs": said("Big5 (traditional Chinese)"),
    "euc_jp": said("EUC-JP (Japanese)"),
    "cp1252": said("Windows-1252 (Western European)"),
}
_WIDER = {"utf-8": "utf-8-sig", "ascii": "utf-8-sig", "gbk": "gb18030", "gb2312": "gb18030"}
_WIDER |= {"shift_jis": "cp932", "euc_kr": "cp949", "big5": "big5hkscs", "iso8859-1": "cp1252"}
_EAST_ASIAN = ("gb18030", "cp932", "cp949")
# A rival counts as ruled out when the bytes are e^8 (3,000) times likelier under the winner.
_RULED_OUT_NATS = 8.0
# Real text stays above this mean log likelihood per non-ASCII character; misread bytes do not.
_LEAST_PLAUSIBLE_NATS = -10.5


class Guess(NamedTuple):
    """A Python codec name, and the rivals the bytes do not rule out (empty when sure)."""

    encoding: str
    rivals: tuple[str, ...] = ()
    chosen: bool = False
    mark: bool = False

    @property
    def label(self) -> str:
        """The encoding as annotators name it."""
        label = LABELS[self.encoding]
        return said("{label} with byte order mark", label=label) if self.mark else label

    @property
    def sure(self) -> bool:
        """True where every other candidate is ruled out."""
        return not self.rivals

    def sentence(self) -> str:
        """The guess and, where it is uncertain, the alternatives and what to do."""
        if self.chosen:
            return said("Read as {label}, as you chose.", label=self.label)
        if self.sure:
            return said("Read as {label}.", label=self.label)
        others = joined(" or ", [LABELS[rival] for rival in self.rivals])
        return said(
            "Read as {label}; it could also be {others}. Check the preview, and choose the "
            "encoding if the text looks wrong.",
            label=self.label,
            others=others,
        )


def detect(data: bytes) -> Guess:
    """Return the likeliest encoding of a text file or of some whole lines of it.

    Raises:
        Problem: The bytes are not plausible text in any candidate.
    """
    marked = _by_mark(data)
    if marked:
        return marked
    if _may_be_wide(data):
        wide = _utf_16_endian(data)
        if wide:
            return Guess(wide)
    return _without_mark(data)


def choose(name: str) -> Guess:
    """Return the encoding the user named (`gbk`, `Shift-JIS`, `utf8`); a Problem if unknown."""
    try:
        codec = codecs.lookup(name.strip()).name
    except LookupError:
        codec = ""
    codec = _WIDER.get(codec, codec)
    if codec not in LABELS:
        known = joined(", ", LABELS)
        raise Problem(
            "The encoding “{name}” is unknown. Choose one of: {known}.", name=name, known=known
        )
    return Guess(codec, chosen=True)


def _by_mark(data):
    if data.startswith(codecs.BOM_UTF8):
        return Guess("utf-8-sig", mark=True)
    if data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return Guess("utf-16", mark=True)
    return None


def _may_be_wide(data):
    """Stray NULs in UTF-8 are few; where UTF-16 is valid UTF-8 too, every other byte is one."""
    nulls = data.count(0)
    return nulls * 4 > len(data) or (nulls > 0 and _decoded(data, "utf-8") is None)


def _utf_16_endian(data):
    """The byte order under which this is plausible UTF-16 with an ASCII delimiter, or None."""
    scores = {codec: _wide_plausibility(data, codec) for codec in ("utf-16-le", "utf-16-be")}
    best = max(scores, key=scores.get)
    return best if scores[best] > 0 else None


def _wide_plausibility(data, codec):
    """Share of ASCII characters and spaces, or 0 where decoding gives what no one writes."""
    text = _decoded(data[: len(data) // 2 * 2], codec)
    if not text or "\0" in text:
        return 0
    odd = sum(unicodedata.category(c) in ("Cn", "Co", "Cc") and c not in "\t\r\n" for c in text)
    plain = sum(c.isascii() or c in "，、　" for c in text)
    return 0 if odd * 50 > len(text) else plain / len(text)


def _without_mark(data):
    if _decoded(data, "utf-8") is not None:
        return Guess("utf-8-sig")
    ranked = sorted(_east_asian(data), reverse=True)
    if ranked:
        best, winner = ranked[0]
        rivals = tuple(codec for score, codec in ranked[1:] if best - score < _RULED_OUT_NATS)
        return Guess(winner, rivals + (("cp1252",) if _is_western(data) else ()))
    if _is_western(data):
        return Guess("cp1252", tuple(c for c in _EAST_ASIAN if _decoded(data, c) is not None))
    raise Problem(_unreadable(data))


def _east_asian(data):
    """(log likelihood, codec) of each East Asian reading that is plausible text."""
    for codec in _EAST_ASIAN:
        text = _decoded(data, codec)
        if text is None:
            continue
        plain = sum(map(str.isascii, text))
        score = log_likelihood(text, codec)
        if score - plain * ASCII_NATS > _LEAST_PLAUSIBLE_NATS * (len(text) - plain):
            yield score, codec


def _is_western(data):
    """True where bytes above 127 occur singly or in twos, as accented letters and quotes do.

    A text that is UTF-8 but for a few bytes is damaged UTF-8, not Windows-1252.
    """
    runs = [len(run) for run in re.findall(rb"[\x80-\xff]+", data)]
    short = sum(run for run in runs if run <= 2)
    repaired = data.decode("utf-8", "replace")
    lost = repaired.count("\ufffd")
    kept = sum(not char.isascii() for char in repaired) - lost
    return (
        1 in runs
        and short >= 0.9 * sum(runs)
        and kept < lost
        and _decoded(data, "cp1252") is not None
    )


def _decoded(data, codec):
    try:
        return data.decode(codec)
    except UnicodeDecodeError:
        return None


def _unreadable(data):
    """Return where the file stops being UTF-8, which locates the damage."""
    try:
        data.decode("utf-8")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        byte = data[error.start]
    return said(
        "The encoding could not be detected: byte 0x{byte:02X} near line {line} is not UTF-8, and "
        "GB18030, Shift-JIS and EUC-KR do not decode the file either. Save it as UTF-8, or name "
        "its encoding.",
        byte=byte,
        line=line,
    )
