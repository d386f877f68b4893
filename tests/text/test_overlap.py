"""Shared terms and the longest common subsequence, against hand counts and the textbook method."""

from hypothesis import given
from hypothesis import strategies as st
from pytest import approx

from concord.text.overlap import covered, lcs_length, rouge_l


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
