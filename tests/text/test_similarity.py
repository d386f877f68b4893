"""Likeness, BLEU and chrF of texts: hand counts, the textbook method, and identities."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pytest import approx

from concord.text.bleu import SMOOTHINGS, bleu
from concord.text.normal_form import folded
from concord.text.overlap import chrf
from concord.text.similarity import edit_likeness, jaro, levenshtein
from concord.text.tokens import tokens

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


@given(WORDS, WORDS)
def test_smoothing_by_halving_never_lowers_bleu(candidate, reference):
    assert 0 <= bleu(candidate, [reference], "none") <= bleu(candidate, [reference]) <= 1 + 1e-12


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


def test_one_changed_character_leaves_most_of_a_chinese_text_alike():
    left, right = "巴黎是法国的首都和最大城市", "巴黎是德国的首都和最大城市"
    assert edit_likeness(left, right) == approx(12 / 13)
    assert bleu(tokens(left), [tokens(right)]) > 0.5
    assert chrf(left, right) > 0.5


def test_duplicates_are_folded_by_form_case_and_white_space_and_the_first_is_kept():
    assert folded(["Paris", " paris ", "ＰＡＲＩＳ", "Berlin", "cafe\u0301", "Café"]) == [
        *("Paris", "Berlin", "cafe\u0301")
    ]
