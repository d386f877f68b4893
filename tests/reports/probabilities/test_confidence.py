import pytest

from concord.reports.probabilities.confidence import report
from concord.reports.probabilities.judge_probabilities import ONE_SCORE, read
from tests.support.made_probabilities import give_probabilities, overconfident, stated
from tests.support.panels import give, panel

PLACES = range(36)


def of(store, doc_qa, given, annotated):
    """The one row on correctness of a judge on 36 answers to 12 questions."""
    give(store, doc_qa, "Ana", annotated)
    give_probabilities(store, doc_qa, "gpt", given)
    read_panel = panel(store, doc_qa)
    [row] = report(read_panel, read(store, read_panel), "correctness")
    return row


def test_a_judge_that_is_sure_and_often_wrong_is_overconfident(store, sheet, doc_qa, often_wrong):
    row = of(store, doc_qa, {n: overconfident(n) for n in PLACES}, often_wrong)
    assert (row.n, row.questions, row.left_out) == (36, 12, {})
    assert row.said.within.confidence == pytest.approx(0.94)
    assert row.said.agreed.value == pytest.approx(2 / 3)
    assert row.overconfidence.value == pytest.approx(0.94 - 2 / 3)
    assert row.figures.ece.value == pytest.approx(0.94 - 2 / 3, abs=0.02)
    assert [one.answers for one in row.diagram] == [36]
    assert row.sharpness.value == pytest.approx(0.94)


def test_recalibration_makes_an_overconfident_judge_less_sure_and_its_score_better(
    store, sheet, doc_qa, often_wrong
):
    row = of(store, doc_qa, {n: overconfident(n) for n in PLACES}, often_wrong)
    assert row.temperature.temperature > 1.2
    assert row.temperature.after.value < row.temperature.before.value
    assert row.temperature.before.value == pytest.approx(row.figures.rps.value)
    assert row.isotonic.temperature is None and row.isotonic.before.value > 0


def test_of_a_stated_confidence_only_what_needs_no_other_score_is_known(
    store, sheet, doc_qa, often_wrong
):
    row = of(store, doc_qa, {n: stated(n) for n in PLACES}, often_wrong)
    assert row.said.agreed.value == pytest.approx(2 / 3)
    assert row.sharpness.why_none == row.temperature.before.why_none == ONE_SCORE
    assert row.isotonic.after.why_none == ONE_SCORE


def test_a_judge_with_no_answer_in_common_has_a_row_without_figures(store, sheet, doc_qa):
    row = of(store, doc_qa, {0: overconfident(0)}, {5: 3})
    assert (row.n, row.diagram) == (0, ())
    assert row.figures.rps.value is None and row.overconfidence.value is None
    assert row.temperature.before.value is None and row.said.within is None
