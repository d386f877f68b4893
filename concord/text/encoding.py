"""The encoding of a text file, told from its bytes or asked for; a wrong guess alters every accent.

UTF-8 and UTF-16 with a mark prove themselves. UTF-8 with a few damaged bytes stays UTF-8, so that
decoding it names the first of them. Any other encoding is taken only where the whole file decodes
strictly in it, reads as text of its language, and reads so in no other encoding.
"""

import codecs
import re

from concord.messages import Problem, on_command_line

LABELS = {
    "utf-8-sig": "UTF-8",
    "utf-16": "UTF-16",
    "utf-16-le": "UTF-16 (little endian)",
    "utf-16-be": "UTF-16 (big endian)",
    "gb18030": "GB18030 (Chinese)",
    "cp932": "Shift-JIS (Japanese)",
    "cp949": "EUC-KR (Korean)",
    "big5hkscs": "Big5 (traditional Chinese)",
    "euc_jp": "EUC-JP (Japanese)",
    "cp1252": "Windows-1252 (Western European)",
}
_WIDER = {"utf-8": "utf-8-sig", "ascii": "utf-8-sig", "gbk": "gb18030", "gb2312": "gb18030"}
_WIDER |= {"shift_jis": "cp932", "euc_kr": "cp949", "big5": "big5hkscs", "iso8859-1": "cp1252"}
# By encoding: the older one that has its usual characters, which they are, and characters of which
# a share tells the language. Rare characters are what other encodings give.
_HAN = "[\u4e00-\u9fff\u3000-\u301f\u2010-\u203f\uff00-\uff5f·￥]"
_TOLD = {
    "gb18030": ("gb2312", _HAN, "[，。、？！：；的是不]", 0.03),
    "cp932": ("cp932", ".", "[\u3041-\u30fc]", 0.2),
    "euc_jp": ("euc_jp", "[\u3000-\u30fc\u4e00-\u9fff\uff01-\uff5f]", "[\u3041-\u30fc]", 0.2),
    "cp949": ("euc_kr", "[\uac00-\ud7a3]", ".", 0),
}
# With fewer characters beyond ASCII none of these is taken.
_TELLING = 20
# The usual characters of a language are at least this share of those beyond ASCII.
_USUAL = 0.9
# Bytes that Western European texts seldom hold; Shift-JIS and Central European ones often do.
_UNWESTERN = re.compile(
    rb"[\x81-\x83\x86-\x8b\x8d-\x90\x98\x9a\x9b\x9d-\x9f]|[A-Za-z][\xb3\xb9\xbe\xbf][A-Za-z]"
)


def detect(data: bytes) -> str:
    """Return the encoding of a text file or of some whole lines of it.

    Raises:
        Problem: It is neither Unicode nor, without doubt, one of the other encodings.
    """
    if data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return "utf-16"
    # The share of the characters beyond ASCII that are valid.
    beyond = _beyond_ascii(data.decode("utf-8", "replace"))
    damaged = 0 if _decoded(data, "utf-8") else beyond.count("\ufffd")
    valid, nulls = 1 - damaged / max(1, len(beyond)), data.count(0)
    if valid >= _USUAL and nulls * 4 <= len(data):
        return "utf-8-sig"
    found = [codec for codec in _TOLD if _reads_as(data, codec)]
    if not found and valid <= 1 - _USUAL and _is_western(data):
        found = ["cp1252"]
    if len(found) != 1 or nulls:
        raise Problem(
            "The encoding is uncertain: it is not UTF-8. Save the file as UTF-8, or choose its "
            "encoding{on_command_line}.",
            on_command_line=on_command_line("`--encoding`"),
            fault_code="encoding_uncertain",
        )
    return found[0]


def choose(name: str) -> str:
    """Return the encoding the user named (`gbk`, `Shift-JIS`, `utf8`); a Problem if unknown."""
    try:
        codec = codecs.lookup(name.strip()).name
    except LookupError:
        codec = ""
    codec = _WIDER.get(codec, codec)
    if codec not in LABELS:
        raise Problem(
            "The encoding “{name}” is unknown. Choose one of: {known}.",
            name=name,
            known=", ".join(LABELS),
            fault_code="no_encoding",
        )
    return codec


def _reads_as(data: bytes, codec: str) -> bool:
    """True where the bytes decode strictly and read as Chinese, Japanese or Korean."""
    beyond = _beyond_ascii(_decoded(data, codec))
    older, common, telling, share = _TOLD[codec]
    usual = "".join(re.findall(common, beyond)).encode(older, "ignore").decode(older)
    return (
        len(beyond) >= _TELLING
        and len(usual) >= _USUAL * len(beyond)
        and len(re.findall(telling, beyond)) >= share * len(beyond)
    )


def _is_western(data: bytes) -> bool:
    """True where bytes above 127 occur singly or in twos, as accented letters and quotes do."""
    runs = [len(run) for run in re.findall(rb"[\x80-\xff]+", data)]
    short = sum(run for run in runs if run <= 2)
    is_usual = 1 in runs and short >= _USUAL * sum(runs) and not _UNWESTERN.search(data)
    return is_usual and bool(_decoded(data, "cp1252"))


def _beyond_ascii(text: str) -> str:
    return "".join(char for char in text if not char.isascii())


def _decoded(data: bytes, codec: str) -> str:
    """The text; '' where it is not in the encoding."""
    try:
        return data.decode(codec)
    except UnicodeDecodeError:
        return ""
