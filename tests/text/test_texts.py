"""Sentences, overlap and likeness of texts in any script: hand counts and textbook examples."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pytest import approx

from concord.text.bleu import SMOOTHINGS, bleu
from concord.text.normal_form import folded
from concord.text.overlap import chrf, covered, lcs_length, rouge_l
from concord.text.sentences import sentences
from concord.text.similarity import edit_likeness, jaro, levenshtein
from concord.text.tokens import tokens

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


SHORT = st.text("abc", max_size=40)
WORDS = st.lists(st.sampled_from("abcd"), min_size=1, max_size=12)
CITY = "東京は日本の首都です。"


def test_levenshtein_by_hand():
    assert levenshtein("kitten", "sitting") == 3
    assert levenshtein("", "abc") == 3 == levenshtein("abc", "")
    assert levenshtein("巴黎", "巴西") == 1


def test_edit_likeness_of_paris_and_india():
    paris, india = (f"The Eiffel Tower is located in {where}." for where in ("Paris", "India"))
    assert edit_likeness(paris, india) == 0.8918918918918919
    assert edit_likeness("", "") == 1 and edit_likeness("", "a") == 0


@given(SHORT, SHORT)
def test_the_bit_parallel_distance_equals_the_table(left, right):
    row = list(range(len(right) + 1))
    for i, a in enumerate(left, 1):
        diagonal, row[0] = row[0], i
        for j, b in enumerate(right, 1):
            diagonal, row[j] = row[j], min(row[j] + 1, row[j - 1] + 1, diagonal + (a != b))
    assert levenshtein(left, right) == row[-1]


def test_a_distance_of_texts_longer_than_any_machine_word():
    left = "".join(map(chr, range(0x4E00, 0x4E00 + 3000)))
    assert levenshtein(left, left[:1500] + "X" + left[1500:2990]) == 11


def test_jaro_by_the_textbooks_examples():
    assert jaro("MARTHA", "MARHTA") == approx(0.944444, abs=1e-6)
    assert jaro("DIXON", "DICKSONX") == approx(0.766667, abs=1e-6)
    assert jaro("DWAYNE", "DUANE") == approx(0.822222, abs=1e-6)
    assert jaro("", "") == 1 and jaro("a", "") == 0 == jaro("a", "b")
    assert jaro("abcd", "xxax") == 0 == jaro("xxax", "abcd")  # of four letters, one step reaches
    assert jaro("abcd", "xaxx") == approx((1 / 4 + 1 / 4 + 1) / 3)


@given(SHORT, SHORT)
def test_likeness_is_one_for_the_same_text_only_and_whichever_comes_first(left, right):
    for alike in (edit_likeness, jaro):
        assert 0 <= alike(left, right) <= 1
        assert (alike(left, right) == 1) == (left == right)
    assert edit_likeness(left, right) == edit_likeness(right, left)


def test_bleu_by_hand():
    # of the answer's runs shared: 4 of 5 words, 1 of 4 pairs, 0 of 3, 0 of 2; the same length
    candidate, reference = tokens("the cat on red mat"), tokens("the cat is on mat")
    assert bleu(candidate, [reference], "none") == 0
    halved = (4 / 5 * 1 / 4 * (1 / 2) / 3 * (1 / 4) / 2) ** 0.25
    assert bleu(candidate, [reference]) == approx(halved)
    added = (4 / 5 * 2 / 5 * 1 / 4 * 1 / 3) ** 0.25
    assert bleu(candidate, [reference], "add_one") == approx(added)


def test_bleu_counts_a_word_no_more_often_than_a_reference_has_it():
    candidate = ["the"] * 7
    references = [tokens("the cat is on the mat"), tokens("there is a cat on the mat")]
    assert bleu(candidate, references, "none") == 0
    assert bleu(candidate[:1], references, "none") == approx(math.exp(1 - 6))
    # one of two words, since no reference has it twice, and half a match for the pair
    assert bleu(candidate[:2], [["the", "cat"], ["the", "dog"]]) == approx((1 / 2 * 1 / 2) ** 0.5)


def test_bleu_of_the_first_sentence_of_three_is_far_from_one():
    sentences = [
        "Berlin is the capital of Germany.",
        "It lies on the Spree and has many lakes.",
        "More than three million annotators live in it today.",
    ]
    whole = tokens(" ".join(sentences))
    first = tokens(sentences[0])
    assert bleu(first, [whole]) == approx(math.exp(1 - len(whole) / len(first)))
    assert bleu(first, [whole]) < 0.06


def test_of_two_references_as_near_in_length_the_shorter_sets_the_penalty():
    references = [tokens("a b c d e f"), tokens("a b c d")]
    assert bleu(tokens("a b c d e"), references, "none") == approx(1)
    assert bleu(tokens("a b"), [tokens("a"), tokens("a b c")]) == 1


@pytest.mark.parametrize("smoothing", SMOOTHINGS)
@given(words=WORDS)
def test_the_same_words_are_bleu_one_under_every_smoothing_however_few(smoothing, words):
    assert bleu(words, [words], smoothing) == approx(1)


def test_chrf_by_hand():
    precision, recall = (2 / 3 + 1 / 2 + 0) / 3, (2 / 4 + 1 / 3 + 0) / 3
    assert chrf("abd", "abce") == approx(5 * precision * recall / (4 * precision + recall))
    assert chrf("abc", "xyz") == 0 == chrf("", "abc")


@given(SHORT, SHORT)
def test_chrf_lies_between_zero_and_one_and_ignores_white_space(left, right):
    assert 0 <= chrf(left, right) <= 1 + 1e-12
    assert chrf(" ".join(left), right) == chrf(left, right)


@pytest.mark.parametrize("text", ["巴黎是法国的首都。", CITY, "서울은 한국의 수도이다.", "Seoul."])
def test_the_same_text_is_one_in_any_script(text):
    assert edit_likeness(text, text) == jaro(text, text) == 1
    assert bleu(tokens(text), [tokens(text)]) == approx(1)
    assert chrf(text, text) == approx(1)


def test_duplicates_are_folded_by_form_case_and_white_space_and_the_first_is_kept():
    assert folded(["Paris", " paris ", "ＰＡＲＩＳ", "Berlin", "cafe\u0301", "Café"]) == [
        *("Paris", "Berlin", "cafe\u0301")
    ]
