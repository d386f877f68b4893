"""Sentences in spaced and unspaced scripts: what ends one and what does not."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pytest import approx

from concord.text.overlap import covered, lcs_length, rouge_l
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


def test_covered_counts_distinct_members():
    assert covered(["a", "a", "b"], ["a", "c"]) == 0.5
    assert covered([], ["a"]) is None
    assert covered({"a"}, []) == 0


def test_rouge_l_by_hand():
    police, cat = ["police", "killed", "the", "gunman"], ["police", "kill", "the", "gunman"]
    assert rouge_l(cat, police) == (0.75, 0.75, 0.75)
    precision, recall, f1 = rouge_l(["the", "gunman", "kill", "police"], police)
    assert (precision, recall, f1) == (0.5, 0.5, 0.5)
    assert rouge_l(["a", "b"], ["a", "b", "c", "d"]) == approx((1, 0.5, 2 / 3))
    assert rouge_l([], ["a"]) == (0, 0, 0) == rouge_l(["a"], [])


@given(st.text("abc", max_size=90), st.text("abcd", max_size=90))
def test_the_bit_parallel_length_equals_the_table(left, right):
    row = [0] * (len(right) + 1)
    for a in left:
        diagonal = 0
        for j, b in enumerate(right, 1):
            above = row[j]
            row[j] = diagonal + 1 if a == b else max(above, row[j - 1])
            diagonal = above
    assert lcs_length(left, right) == row[-1]
