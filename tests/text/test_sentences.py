"""Sentences in spaced and unspaced scripts: what ends one and what does not."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from concord.text.sentences import sentences

ENDS = [
    ("", []),
    ("  \n ", []),
    ("...", ["..."]),
    ("One. Two! Three? four", ["One.", "Two!", "Three?", "four"]),
    ("No. Once reserved, no.", ["No.", "Once reserved, no."]),
    ("J. Ames said so. As did I. Good.", ["J. Ames said so.", "As did I.", "Good."]),
    ("“Stop!” She ran. (He did not.) End", ["“Stop!”", "She ran.", "(He did not.)", "End"]),
    ("Wait... what?!", ["Wait...", "what?!"]),
    ("1. Open it.\n2. Close it", ["1. Open it.", "2. Close it"]),
    ("It is blue.[1] Or green [2, 3]. So.", ["It is blue.[1]", "Or green [2, 3].", "So."]),
    ("It left at 5 p.m. The end.", ["It left at 5 p.m.", "The end."]),
    ("请关机。然后等待！好吗？", ["请关机。", "然后等待！", "好吗？"]),
    ("真的吗?是的!", ["真的吗?", "是的!"]),
    ("完成。[3]下一步", ["完成。[3]", "下一步"]),
    ("真的...?是。A?!はい。", ["真的...?", "是。", "A?!", "はい。"]),
    ("「はい。」次へ", ["「はい。」", "次へ"]),
    ("人口は1,400万人。面積は2.19km。", ["人口は1,400万人。", "面積は2.19km。"]),
    ("精度は３．５％である．次に，実験を行う．", ["精度は３．５％である．", "次に，実験を行う．"]),
    ("그는 갔다.그리고 왔어요.끝", ["그는 갔다.", "그리고 왔어요.", "끝"]),
    ("전원을 끄세요. 기다리세요.", ["전원을 끄세요.", "기다리세요."]),
]


@pytest.mark.parametrize(("text", "expected"), ENDS)
def test_a_sentence_ends_with_its_mark_and_what_closes_behind_it(text, expected):
    assert sentences(text) == expected


@pytest.mark.parametrize(
    "text",
    [
        "It is 3.5 mm, e.g. thin, cf. Dr. Ames and Fig. 2.",
        "See No. 5 on p. 12 of J.R.R. Tolkien.",
        "Apples, pears, etc. and so on.",
        "The U.S. army stayed.",
        "He said “Go!” and left.",
        "It is blue [1] or green.[2] and red.",
        "Ask https://example.org/?q=1 now.",
        "他……走了。",
        "「高い！」と彼は言った。",
        "“가자!”라고 말했다.",
        "전자.통신과 Node.js를 쓴다.",
        "図１．２．結果",
    ],
)
def test_a_mark_within_a_sentence_does_not_end_it(text):
    assert sentences(text) == [text]


def test_a_chinese_quotation_ends_a_sentence_even_where_its_speaker_follows_as_the_text_says():
    assert sentences("“走！”他说。") == ["“走！”", "他说。"]


@given(st.text(alphabet="ab Z1.!?。！」”)[]\n…と", max_size=40))
def test_nothing_but_white_space_is_lost(text):
    assert "".join("".join(sentences(text)).split()) == "".join(text.split())
