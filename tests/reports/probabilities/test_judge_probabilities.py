import pytest

from concord.model import NATIVE, STATED, Distribution
from concord.reports.agreement import agreement
from concord.reports.panel.criterion_comparison import CONSENSUS, EACH, ground
from concord.reports.probabilities.judge_probabilities import (
    NO_PROBABILITIES,
    NOT_OF_ITS_SCORE,
    ONE_SCORE,
    OUTSIDE,
    OUTSIDE_UNKNOWN,
    REPEATS,
    paired,
    read,
    report,
    with_probabilities,
)
from tests.support.panels import (
    ATLAS,
    BIRCH,
    COBALT,
    give,
    give_probabilities,
    judge,
    overconfident,
    panel,
    stated,
)


def native(*shares, outside=None) -> Distribution:
    return Distribution(NATIVE, tuple(enumerate(shares)), outside)


def of_pairs(store, doc_qa, judge_id):
    read_panel = panel(store, doc_qa)
    on = ground(read_panel, "correctness", EACH)
    return paired(on, judge_id, read(store, read_panel)["correctness", judge_id])


def test_probabilities_are_those_of_each_pair_raw_and_confidence_is_normalised(
    store, sheet, doc_qa
):
    give(store, doc_qa, "Ana", {ATLAS: 3, BIRCH: 2})
    give(store, doc_qa, "Ben", {ATLAS: 3})
    given = {ATLAS: native(0, 0, 0.2, 0.6, outside=0.2), BIRCH: native(0, 0.1, 0.9, 0)}
    found = of_pairs(store, doc_qa, give_probabilities(store, doc_qa, "gpt", given))
    assert found.source == "native" and not found.stated and found.left_out == {}
    assert found.shares.tolist() == [[0, 0, 0.2, 0.6], [0, 0.1, 0.9, 0], [0, 0, 0.2, 0.6]]
    assert found.outside.tolist() == [0.2, 0.2]
    assert found.outside_pairs.item.tolist() == [ATLAS, ATLAS]
    assert found.confidence == pytest.approx([0.75, 0.9, 0.75])


def test_what_has_no_probabilities_or_none_on_the_scale_is_left_out_and_counted(
    store, sheet, doc_qa
):
    give(store, doc_qa, "Ana", {ATLAS: 3, BIRCH: 2, COBALT: 1})
    given = {ATLAS: native(0, 0, 0.2, 0.8), BIRCH: native(0, 0, 0, 0, outside=1.0), COBALT: None}
    scores = {BIRCH: 2, COBALT: 1}
    judge_id = give_probabilities(store, doc_qa, "gpt", given, scores=scores)
    found = of_pairs(store, doc_qa, judge_id)
    assert len(found.pairs.item) == 1
    assert found.left_out == {NO_PROBABILITIES: 1, OUTSIDE: 1}
    assert found.outside.tolist() == [1.0]  # or the mean would be of those that have none


def test_a_stated_confidence_is_taken_as_it_is_and_only_of_the_score_given(store, sheet, doc_qa):
    give(store, doc_qa, "Ana", {ATLAS: 3, BIRCH: 2})
    given = {ATLAS: Distribution(STATED, ((3, 0.7),)), BIRCH: Distribution(STATED, ((1, 0.8),))}
    judge_id = give_probabilities(store, doc_qa, "gpt", given, scores={BIRCH: 2})
    found = of_pairs(store, doc_qa, judge_id)
    assert found.stated and found.confidence.tolist() == [0.7]
    assert found.left_out == {NOT_OF_ITS_SCORE: 1}


def test_repeats_are_vote_shares_where_a_judge_gave_no_probabilities(store, sheet, doc_qa):
    give(store, doc_qa, "Ana", {ATLAS: 3, BIRCH: 2})
    judge_id = judge(store, doc_qa, "gpt", {ATLAS: 3, BIRCH: 2})
    assert read(store, panel(store, doc_qa)) == {}
    judge(store, doc_qa, "gpt", {ATLAS: 3}, repeat=2)
    judge(store, doc_qa, "gpt", {ATLAS: 1}, repeat=3)
    found = of_pairs(store, doc_qa, judge_id)
    assert found.source == REPEATS
    assert found.shares.tolist() == [pytest.approx([0, 1 / 3, 0, 2 / 3])]
    assert found.confidence == pytest.approx([2 / 3])
    assert found.left_out == {NO_PROBABILITIES: 1}


def test_stored_probabilities_count_and_no_repeats_beside_them(store, sheet, doc_qa):
    give(store, doc_qa, "Ana", {ATLAS: 3})
    judge_id = give_probabilities(store, doc_qa, "gpt", {ATLAS: native(0, 0, 0.2, 0.8)})
    judge(store, doc_qa, "gpt", {ATLAS: 1}, repeat=2)
    judge(store, doc_qa, "gpt", {ATLAS: 1}, repeat=3)
    assert of_pairs(store, doc_qa, judge_id).source == NATIVE


def test_a_repeat_without_a_score_has_no_vote(store, sheet, doc_qa):
    give(store, doc_qa, "Ana", {ATLAS: 3})
    judge(store, doc_qa, "gpt", {ATLAS: 3})
    judge(store, doc_qa, "gpt", {ATLAS: None}, repeat=2)
    assert read(store, panel(store, doc_qa)) == {}


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


def test_of_a_stated_confidence_only_what_needs_no_other_score_is_known(
    store, sheet, doc_qa, often_wrong
):
    row = of(store, doc_qa, {n: stated(n) for n in PLACES}, often_wrong)
    assert row.said.agreed.value == pytest.approx(2 / 3)
    assert row.sharpness.why_none == ONE_SCORE


def test_a_judge_with_no_answer_in_common_has_a_row_without_figures(store, sheet, doc_qa):
    row = of(store, doc_qa, {0: overconfident(0)}, {5: 3})
    assert (row.n, row.diagram) == (0, ())
    assert row.figures.rps.value is None and row.overconfidence.value is None
    assert row.said.within is None


def of_of_judge_probabilities_figures(store, doc_qa, name="gpt", kind="each", by_model=False):
    """The rows of a judge on correctness."""
    read_panel = panel(store, doc_qa)
    found = agreement.report(read_panel, kind, by_model).rows
    rows = with_probabilities(store, read_panel, found)
    return [row for row in rows if (row.judge, row.criterion) == (name, "correctness")]


def test_the_figures_are_those_of_arithmetic_by_hand(store, sheet, doc_qa):
    give(store, doc_qa, "Ana", {ATLAS: 3, BIRCH: 0})
    give(store, doc_qa, "Ben", {ATLAS: 2})
    given = {ATLAS: native(0, 0, 0.25, 0.25, outside=0.5), BIRCH: native(0.5, 0.5, 0, 0)}
    give_probabilities(store, doc_qa, "gpt", given)
    [row] = of_of_judge_probabilities_figures(store, doc_qa)
    # Atlas has half its probability on 2 and on 3: cumulated 0, 0, .5, which a 2 or a 3 misses by
    # .5 at one step of three. Birch: .5 at the first step.
    assert row.probabilities.rps.value == pytest.approx(0.25 / 3)
    assert row.probabilities.brier.value == pytest.approx(0.5)
    assert row.probabilities.log_score.value == pytest.approx(0.6931471805599453)
    assert row.probabilities.outside_mass.value == pytest.approx(0.5)


def test_a_judge_without_probabilities_and_a_composite_have_none(store, sheet, doc_qa):
    give(store, doc_qa, "Ana", {ATLAS: 3, BIRCH: 0})
    judge(store, doc_qa, "plain", {ATLAS: 3, BIRCH: 0})
    give_probabilities(store, doc_qa, "gpt", {ATLAS: native(0, 0, 0.5, 0.5)})
    read_panel = panel(store, doc_qa)
    rows = with_probabilities(store, read_panel, agreement.report(read_panel).rows)
    having = [(row.judge, row.criterion) for row in rows if row.probabilities]
    assert having == [("gpt", "correctness")]


def test_a_stated_confidence_has_a_calibration_error_and_says_why_nothing_else(
    store, sheet, doc_qa
):
    places = range(36)
    give(store, doc_qa, "Ana", {place: place % 4 for place in places})
    give_probabilities(store, doc_qa, "gpt", {place: stated(place) for place in places})
    [row] = of_of_judge_probabilities_figures(store, doc_qa)
    found = row.probabilities
    assert found.rps.why_none == found.rps_skill.why_none == found.log_score.why_none == ONE_SCORE
    assert found.outside_mass.why_none == OUTSIDE_UNKNOWN
    assert found.ece.value > 0.3


def test_rows_of_an_answering_model_have_figures_of_its_answers(store, sheet, doc_qa):
    give(store, doc_qa, "Ana", {ATLAS: 3, BIRCH: 0, COBALT: 1})
    given = {ATLAS: native(0, 0, 0, 1.0), BIRCH: native(0, 0, 0, 1.0)}
    give_probabilities(store, doc_qa, "gpt", given)
    rows = of_of_judge_probabilities_figures(store, doc_qa, by_model=True)
    by_model = {row.answer_model: row.probabilities.rps.value for row in rows}
    assert by_model == {None: 0.5, "atlas": 0, "birch": 1, "cobalt": None}


def test_a_consensus_is_the_reference_where_it_is_asked_for(store, sheet, doc_qa):
    for name, score in (("Ana", 3), ("Ben", 3), ("Cleo", 0)):
        give(store, doc_qa, name, {ATLAS: score})
    give_probabilities(store, doc_qa, "gpt", {ATLAS: native(0, 0, 0, 1.0)})
    [each], [consensus] = (
        of_of_judge_probabilities_figures(store, doc_qa),
        of_of_judge_probabilities_figures(store, doc_qa, kind=CONSENSUS),
    )
    assert each.probabilities.rps.value == pytest.approx(1 / 3)
    assert consensus.probabilities.rps.value == 0
