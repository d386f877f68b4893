"""Encodings are told from bytes without doubt, or asked for."""

import json

import pytest

from concord.importing.readers.encoding import choose, detect
from concord.importing.readers.formats import open_table
from concord.importing.recognition.recognise import open_file
from concord.messages import Problem
from tests.support.exports import CASES

CHINESE = "id,question,answer\n1,如何重置密码？,请点击设置页面，然后选择“重置”，系统会发送邮件。\n"
JAPANESE = "RAGとは、検索と生成を組み合わせる方法です。It is fine.\n"
KOREAN = "id,질문,답변\n1,환불 기간은 며칠입니까?,30일 이내에 가능합니다. 영수증이 필요합니다.\n"
WESTERN = ["café olé, naïve", "größer, schön und süß", "“it’s” – fine", "Ärger?,Öl."]


@pytest.mark.parametrize(
    ("text", "encoding"),
    [(CHINESE, "gb18030"), (JAPANESE, "cp932"), (JAPANESE, "euc_jp"), (KOREAN, "cp949")]
    + [(text, "cp1252") for text in WESTERN],
)
def test_an_encoding_that_alone_reads_as_text_is_taken(text, encoding):
    assert detect(text.encode(encoding)).encoding == encoding


@pytest.mark.parametrize(
    "data",
    [
        "北京".encode("gb18030"),
        "大韓民國의 수도는 서울. ".encode("cp949") * 4,
        "東京大學的歷史，請說明這個問題。".encode("big5") * 4,
        "Został ktoś, kto był źle".encode("cp1250"),
        "Příliš žluťoučký kůň".encode("cp1250"),
        "Привет, как дела".encode("cp1251"),
        "café olé, naïve".encode() + b" \xe9",
        KOREAN.encode("cp949") + b"\xff\n",
        bytes(range(1, 256)),
    ],
)
def test_an_encoding_in_doubt_is_asked_for(data):
    with pytest.raises(Problem) as asked:
        detect(data)
    assert "encodings" in asked.value.args[0].values


@pytest.mark.parametrize("text", [CHINESE, JAPANESE, KOREAN, "plain\n", *WESTERN])
@pytest.mark.parametrize("codec", ["utf-8", "utf-8-sig"])
def test_utf_8_proves_itself(text, codec):
    assert detect(text.encode(codec)).encoding == "utf-8-sig"


@pytest.mark.parametrize(
    "text", ["id,a\nhello,world\n", "问题,回答\n一,二\n", "質問,答\nこれ,何\n"]
)
@pytest.mark.parametrize("codec", ["utf-16", "utf-16-le", "utf-16-be"])
def test_utf_16_is_told_with_and_without_mark(text, codec):
    data = text.encode(codec)
    assert data.decode(detect(data).encoding) == text
    rows = json.dumps([{"answer": text}], ensure_ascii=False).encode(codec)
    (record,) = open_table(rows, "s.json").records()
    assert record.cells == (text,)


def test_a_stray_nul_does_not_make_a_file_utf_16():
    assert detect(b"q,a\n\x00,\x001\n").encoding == "utf-8-sig"


@pytest.mark.parametrize("name", ["one_stray_byte.csv", "one_stray_byte.json"])
@pytest.mark.parametrize("read", [open_table, open_file])
def test_a_stray_byte_in_utf_8_is_named_with_its_place(name, read):
    data = (CASES / name).read_bytes()
    line, rest = next((n, one) for n, one in enumerate(data.split(b"\n"), 1) if not _is_utf_8(one))
    with pytest.raises(Problem) as refused:
        list(read(CASES / name).records())
    told = refused.value.args[0].values
    assert (told["line"], rest[told["place"] - 1]) == (line, told["byte"])
    assert list(read(CASES / name, encoding="cp1252").records())


def _is_utf_8(data):
    return data.decode("utf-8", "replace").count("\ufffd") == 0


@pytest.mark.parametrize(
    "said, codec",
    [
        ("utf8", "utf-8-sig"),
        ("GBK", "gb18030"),
        ("gb2312", "gb18030"),
        ("Shift-JIS", "cp932"),
        ("EUC-KR", "cp949"),
        ("utf-16-le", "utf-16-le"),
        ("latin-1", "cp1252"),
    ],
)
def test_the_user_may_choose(said, codec):
    assert choose(said) == (codec, True)


def test_an_unknown_choice_lists_the_known():
    with pytest.raises(Problem, match=r"“ebcdic”.*gb18030"):
        choose("ebcdic")
