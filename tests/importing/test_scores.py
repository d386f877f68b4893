"""Scores of cells: on the scale, by a word, or continuous where the grader may give any number."""

import pytest

from concord.importing.deduplicate import off_scale
from concord.importing.readers.cells import BadCell
from concord.importing.scores import number, score, verdict, words_to_scores
from concord.messages import Problem
from tests.support.evidence_room import CLAIMS

FIVE = (1, 2, 3, 4, 5)


@pytest.mark.parametrize("kind", ["judge", "metric", "mean"])
def test_judges_metrics_and_means_give_any_number_and_nothing_is_rounded(kind):
    assert score("4.25", FIVE, kind) == 4.25
    assert score("4,25", FIVE, kind) == 4.25
    assert score("", FIVE, kind) is None
    with pytest.raises(BadCell):
        score("nan", FIVE, kind)


def test_an_annotators_fraction_stays_refused():
    with pytest.raises(BadCell):
        score("4.5", FIVE)


def test_a_mean_lies_within_the_scale():
    with pytest.raises(BadCell):
        score("5.5", FIVE, "mean")
    assert score("0.5", FIVE, "judge") == 0.5


def test_words_stand_for_scores():
    words = words_to_scores(["Useful=5", "not useful = 1", "N/A=", "a=b=2"])
    assert words == {"useful": 5, "not useful": 1, "n/a": None, "a=b": 2}
    assert score(" USEFUL ", FIVE, "person", words) == 5
    assert score("Not_useful", FIVE, "judge", words) == 1
    assert score("N/A", FIVE, "person", words) is None
    assert score("3", FIVE, "person", words) == 3
    with pytest.raises(BadCell):
        score("Bad", FIVE, "person", words)


def test_an_annotators_word_is_mapped_to_a_score_of_the_scale():
    words = words_to_scores(["good=7", "so-so=2.5"])
    for word in ("good", "so-so"):
        with pytest.raises(BadCell):
            score(word, FIVE, "person", words)
    assert score("so-so", FIVE, "judge", words) == 2.5


@pytest.mark.parametrize("text", ["Useful", "=3", "Useful=x", "Useful=nan"])
def test_what_maps_no_word_is_refused(text):
    with pytest.raises(Problem):
        words_to_scores([text])


def test_the_error_for_a_verdict_names_the_words_that_are_accepted():
    with pytest.raises(BadCell):
        verdict("fine", CLAIMS)


def test_a_word_has_one_score():
    assert words_to_scores(["a=1", "A=1"]) == {"a": 1}
    with pytest.raises(Problem):
        words_to_scores(["a=1", "A=2"])


def test_a_judges_whole_numbers_are_scores_unless_fractions_occur():
    assert off_scale({1, 5, 11}, FIVE) == {11}
    assert off_scale({1, 5, 11, 2.5}, FIVE) == set()


def test_numbers_are_read_as_scores_are():
    assert [number(text) for text in ("3", "3.0", "3,5", "１", "1,000", "x", "1e999", "")] == [
        3, 3, 3.5, 1, None, None, None, None,
    ]  # fmt: skip
