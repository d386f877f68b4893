"""Scores of one annotator next to the others' and the gold score."""

from concord.reports.reliability.answer_scores import cells
from concord.store.answer_record import AnnotatorScore

OLD, NEW = "v1", "v2"


def test_a_cell_has_the_own_score_first_and_others_under_the_same_wording_alone():
    given = (
        AnnotatorScore(1, "correctness", OLD, "Ben", 3),
        AnnotatorScore(1, "correctness", OLD, "Cyd", 2),
        AnnotatorScore(1, "correctness", NEW, "Ben", 0),
        AnnotatorScore(1, "correctness", NEW, "Ana", None),
        AnnotatorScore(2, "correctness", NEW, "Ben", 1.5, 0.3),
        AnnotatorScore(2, "readability", "r1", "Ben", 1, 0.2),
        AnnotatorScore(2, "readability", "r1", "Ana", 1, 60),
        AnnotatorScore(3, "correctness", NEW, "Ana", 1),
    )
    own = {"correctness": "1.5", "readability": "1 (1)", "seconds per answer": "0.5"}
    found = cells("Ben", given, {(1, NEW): 2, (1, OLD): 1})
    assert found == {1: {"correctness": "0 (–, gold 2)"}, 2: own}
