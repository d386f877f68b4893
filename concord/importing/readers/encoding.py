"""The encoding of a text file, told from its bytes or asked for; a wrong guess alters every accent.

UTF-8 and UTF-16 prove themselves. UTF-8 with a few damaged bytes stays UTF-8, so that decoding it
names the first of them. Any other encoding is taken only where the whole file decodes strictly in
it, reads as text of its language, and reads so in no other encoding.
"""

import codecs
import json
import re
from typing import NamedTuple

from concord.messages import Problem, joined, on_command_line, said

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
# With fewer characters beyond ASCII no Chinese, Japanese or Korean encoding is taken.
_TELLING = 20
# The usual characters of a language are at least this share of those beyond ASCII.
_USUAL = 0.9
# Kana are at least this share of Japanese; marks and the commonest words of Chinese.
_KANA, _COMMON = 0.2, 0.03
# Bytes that Western European texts seldom hold; Shift-JIS and Central European ones often do.
_UNWESTERN = re.compile(
    rb"[\x81-\x83\x86-\x8b\x8d-\x90\x98\x9a\x9b\x9d-\x9f]|[A-Za-z][\xb3\xb9\xbe\xbf][A-Za-z]"
)


class Guess(NamedTuple):
    """A Python codec name, and whether the user chose it."""

    encoding: str
    chosen: bool = False

    @property
    def label(self) -> str:
        """The encoding as annotators name it."""
        return LABELS[self.encoding]

    @property
    def is_unicode(self) -> bool:
        """True for UTF-8 and UTF-16, which are not guessed."""
        return self.encoding.startswith("utf")

    def sentence(self) -> str:
        """Say how the file is read."""
        return said("Read as {label}.", label=self.label)


def detect(data: bytes) -> Guess:
    """Return the encoding of a text file or of some whole lines of it.

    Raises:
        Problem: It is neither Unicode nor, without doubt, one of the other encodings.
    """
    if data.startswith(codecs.BOM_UTF8):
        return Guess("utf-8-sig")
    if data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return Guess("utf-16")
    valid, nulls = _valid_utf_8(data), data.count(0)
    is_utf_8 = valid >= _USUAL
    if (nulls * 4 > len(data) or (nulls and not is_utf_8)) and (wide := _utf_16(data)):
        return Guess(wide)
    if is_utf_8:
        return Guess("utf-8-sig")
    found = [codec for codec in ("gb18030", "cp932", "euc_jp", "cp949") if _reads_as(data, codec)]
    if not found and valid <= 1 - _USUAL and _is_western(data):
        found = ["cp1252"]
    if len(found) == 1:
        return Guess(found[0])
    possible = [
        label
        for codec, label in LABELS.items()
        if not codec.startswith("utf") and _decoded(data, codec) is not None
    ]
    raise Problem(
        "The encoding is uncertain: it is not UTF-8, and could be {encodings}. Save the file as "
        "UTF-8, or choose its encoding{on_command_line}.",
        encodings=joined(", ", possible) or said("none of the known ones"),
        on_command_line=on_command_line("`--encoding`"),
        fault_code="encoding_uncertain",
    )


def of_json(data: bytes) -> Guess:
    """Return the encoding of JSON: UTF-16 where its first characters are, else UTF-8."""
    codec = json.detect_encoding(data)
    return Guess(codec if codec in LABELS else "utf-8-sig")


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
            "The encoding “{name}” is unknown. Choose one of: {known}.",
            name=name,
            known=known,
            fault_code="no_encoding",
        )
    return Guess(codec, chosen=True)


def _valid_utf_8(data: bytes) -> float:
    """The share of the characters beyond ASCII that are valid; 1 without any."""
    beyond = [char for char in data.decode("utf-8", "replace") if not char.isascii()]
    damaged = 0 if _decoded(data, "utf-8") is not None else beyond.count("\ufffd")
    return 1 - damaged / max(1, len(beyond))


def _utf_16(data: bytes) -> str:
    """The byte order under which these are ASCII delimiters among other text; '' for none."""
    codec = "utf-16-le" if data[1::2].count(0) > data[::2].count(0) else "utf-16-be"
    text = _decoded(data[: len(data) // 2 * 2], codec) or "\0"
    plain = sum(map(str.isascii, text))
    return "" if "\0" in text or plain * 100 < len(text) else codec


def _reads_as(data: bytes, codec: str) -> bool:
    """True where the bytes decode strictly and read as Chinese, Japanese or Korean."""
    beyond = "".join(char for char in _decoded(data, codec) or "" if not char.isascii())
    if len(beyond) < _TELLING:
        return False
    if codec == "gb18030":  # rare characters are what other encodings give
        usual = re.findall("[\u4e00-\u9fff\u3000-\u301f\u2010-\u203f\uff00-\uff5f·￥]", beyond)
        common = "".join(usual).encode("gb2312", "ignore").decode("gb2312")
        told = len(re.findall("[，。、？！：；的是不]", beyond)) >= _COMMON * len(beyond)
        return told and len(common) >= _USUAL * len(beyond)
    if codec == "cp949":
        hangul = re.findall("[\uac00-\ud7a3]", beyond)
        common = [one for one in hangul if len(one.encode("euc_kr")) == 2]  # in KS X 1001
        return len(common) >= _USUAL * len(beyond)
    return len(re.findall("[\u3041-\u30fc]", beyond)) >= _KANA * len(beyond)


def _is_western(data: bytes) -> bool:
    """True where bytes above 127 occur singly or in twos, as accented letters and quotes do."""
    runs = [len(run) for run in re.findall(rb"[\x80-\xff]+", data)]
    short = sum(run for run in runs if run <= 2)
    return (
        1 in runs
        and short >= _USUAL * sum(runs)
        and not _UNWESTERN.search(data)
        and _decoded(data, "cp1252") is not None
    )


def _decoded(data: bytes, codec: str) -> str | None:
    try:
        return data.decode(codec)
    except UnicodeDecodeError:
        return None
