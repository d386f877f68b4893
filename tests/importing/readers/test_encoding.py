"""Encodings are told from bytes, and doubt is said."""

import pytest

from concord.importing.readers.encoding import choose, detect
from concord.messages import Problem

CHINESE = [
    "问题,回答\n什么是机器学习？,机器学习是一种方法。\n",
    "id,question,answer\n1,如何重置密码？,请点击设置页面。\n",
    "什么是机器学习？",
    "根据文档，系统会在三天内退款。",
    "GPT-4的回答是正确的，但不完整。The answer is fine.",
    "图书馆,开放时间",
    "東京大學的歷史，請說明這個問題。",
    "价格：￥100，含税",
    "你好",
]
JAPANESE = [
    "質問,回答\n返品期間は何日ですか？,30日以内です。\n",
    "id,質問\n1,パスワードを忘れました。\n",
    "機械学習とは何ですか？",
    "RAGとは、検索と生成を組み合わせる方法です。It is fine.",
    "ｼｽﾃﾑ管理者に連絡してください",
    "ﾃｽﾄ,ﾃﾞｰﾀ",
    "ﾊﾟｽﾜｰﾄﾞ ﾘｾｯﾄ",
    "図書館,開館時間",
    "東京",
]
KOREAN = [
    "질문,답변\n환불 기간은 며칠입니까?,30일 이내에 가능합니다.\n",
    "id,질문\n1,도서관은 언제 여나요?\n",
    "기계 학습이란 무엇입니까?",
    "GPT-4의 답변은 정확하지만 완전하지 않습니다. It is fine.",
    "大韓民國의 수도는 서울",
    "비밀번호를 잊어버렸어요",
    "안녕하세요",
    "모름",
]
SAMPLES = [
    *((text, "gb18030") for text in CHINESE),
    *((text, "cp932") for text in JAPANESE),
    *((text, "cp949") for text in KOREAN),
]


@pytest.mark.parametrize("text, encoding", SAMPLES)
def test_short_east_asian_text_is_told_apart(text, encoding):
    guess = detect(text.encode(encoding))
    assert guess.encoding == encoding


@pytest.mark.parametrize("text, encoding", [s for s in SAMPLES if len(s[0]) > 12])
def test_a_sentence_leaves_no_doubt(text, encoding):
    assert detect(text.encode(encoding)).sure


@pytest.mark.parametrize("text", [*CHINESE, *JAPANESE, *KOREAN, "plain\n", "café — naïve\n"])
def test_utf_8_proves_itself(text):
    assert detect(text.encode()).encoding == "utf-8-sig"
    assert detect(text.encode()).sure
    marked = detect(text.encode("utf-8-sig"))
    assert marked.label == "UTF-8 with byte order mark"


@pytest.mark.parametrize(
    "text", ["id,a\nhello,world\n", "问题,回答\n一,二\n", "質問,答\nこれ,何\n"]
)
@pytest.mark.parametrize("codec", ["utf-16", "utf-16-le", "utf-16-be"])
def test_utf_16_is_told_with_and_without_mark(text, codec):
    data = text.encode(codec)
    assert data.decode(detect(data).encoding) == text


def test_two_characters_leave_doubt_and_the_sentence_says_what_to_do():
    guess = detect("北京".encode("gb18030"))
    assert not guess.sure
    assert "EUC-KR (Korean)" in guess.sentence()
    assert "preview" in guess.sentence()


def test_a_stray_nul_does_not_make_a_file_utf_16():
    assert detect(b"q,a\n\x00,\x001\n").encoding == "utf-8-sig"


@pytest.mark.parametrize("text", ["café olé, naïve", "größer, schön und süß", "“it’s” – fine"])
def test_western_text_is_not_taken_for_east_asian(text):
    assert detect(text.encode("cp1252")).encoding == "cp1252"


@pytest.mark.parametrize(
    "data",
    [
        "根据文档，系统会在三天内退款。\n".encode() + b"ok\xff\n",
        "これは壊れたファイルです".encode()[:-1],
        "café olé, naïve".encode() + b" \xe9",
        bytes(range(1, 256)),
    ],
)
def test_damaged_utf_8_is_named_not_read_as_something_else(data):
    with pytest.raises(Problem, match="is not UTF-8"):
        detect(data)


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
    assert choose(said).encoding == codec
    assert "as you chose" in choose(said).sentence()


def test_an_unknown_choice_lists_the_known():
    with pytest.raises(Problem, match=r"“ebcdic”.*gb18030"):
        choose("ebcdic")
