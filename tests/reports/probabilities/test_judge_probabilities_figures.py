import json

import pytest

from concord.model import NATIVE, Distribution
from concord.reports.agreement import agreement, whole_report
from concord.reports.document import as_json
from concord.reports.panel.reference_standard import CONSENSUS
from concord.reports.probabilities.judge_probabilities import (
    ONE_SCORE,
    OUTSIDE_UNKNOWN,
    with_probabilities,
)
from tests.support.panels import (
    ATLAS,
    BIRCH,
    COBALT,
    give,
    give_probabilities,
    judge,
    panel,
    stated,
)

KEYS = {
    *(
        "source",
        "n",
        "rps",
        "rps_base_rate",
        "rps_skill",
        "brier",
        "log_score",
        "ece",
        "outside_mass",
    )
}


def native(*shares, outside=None) -> Distribution:
    return Distribution(NATIVE, tuple(enumerate(shares)), outside)


def of(store, doc_qa, name="gpt", kind="each", by_model=False):
    """The rows of a judge on correctness."""
    read = panel(store, doc_qa)
    found = agreement.report(read, kind, by_model).rows
    rows = with_probabilities(store, read, found)
    return [row for row in rows if (row.judge, row.criterion) == (name, "correctness")]


def test_the_figures_are_those_of_arithmetic_by_hand(store, sheet, doc_qa):
    give(store, doc_qa, "Ana", {ATLAS: 3, BIRCH: 0})
    give(store, doc_qa, "Ben", {ATLAS: 2})
    given = {ATLAS: native(0, 0, 0.25, 0.25, outside=0.5), BIRCH: native(0.5, 0.5, 0, 0)}
    give_probabilities(store, doc_qa, "gpt", given)
    [row] = of(store, doc_qa)
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
    read = panel(store, doc_qa)
    rows = with_probabilities(store, read, agreement.report(read).rows)
    having = [(row.judge, row.criterion) for row in rows if row.probabilities]
    assert having == [("gpt", "correctness")]


def test_a_stated_confidence_has_a_calibration_error_and_says_why_nothing_else(
    store, sheet, doc_qa
):
    places = range(36)
    give(store, doc_qa, "Ana", {place: place % 4 for place in places})
    give_probabilities(store, doc_qa, "gpt", {place: stated(place) for place in places})
    [row] = of(store, doc_qa)
    found = row.probabilities
    assert found.rps.why_none == found.rps_skill.why_none == found.log_score.why_none == ONE_SCORE
    assert found.outside_mass.why_none == OUTSIDE_UNKNOWN
    assert found.ece.value > 0.3


def test_rows_of_an_answering_model_have_figures_of_its_answers(store, sheet, doc_qa):
    give(store, doc_qa, "Ana", {ATLAS: 3, BIRCH: 0, COBALT: 1})
    given = {ATLAS: native(0, 0, 0, 1.0), BIRCH: native(0, 0, 0, 1.0)}
    give_probabilities(store, doc_qa, "gpt", given)
    rows = of(store, doc_qa, by_model=True)
    by_model = {row.answer_model: row.probabilities.rps.value for row in rows}
    assert by_model == {None: 0.5, "atlas": 0, "birch": 1, "cobalt": None}


def test_a_consensus_is_the_reference_where_it_is_asked_for(store, sheet, doc_qa):
    for name, score in (("Ana", 3), ("Ben", 3), ("Cleo", 0)):
        give(store, doc_qa, name, {ATLAS: score})
    give_probabilities(store, doc_qa, "gpt", {ATLAS: native(0, 0, 0, 1.0)})
    [each], [consensus] = of(store, doc_qa), of(store, doc_qa, kind=CONSENSUS)
    assert each.probabilities.rps.value == pytest.approx(1 / 3)
    assert consensus.probabilities.rps.value == 0


def test_json_has_the_object_in_each_row_of_the_whole_report(store, sheet, doc_qa):
    give(store, doc_qa, "Ana", {ATLAS: 3, BIRCH: 0})
    judge(store, doc_qa, "plain", {ATLAS: 3, BIRCH: 0})
    give_probabilities(store, doc_qa, "gpt", {ATLAS: native(0, 0, 0.5, 0.5)})
    rows = as_json(whole_report.whole(store, panel(store, doc_qa)))["rows"]
    json.dumps(rows, allow_nan=False)
    assert all("probabilities" in row for row in rows)
    [found] = [row["probabilities"] for row in rows if row["probabilities"]]
    assert {*found} == KEYS
    assert {*found["rps"]} == {"value", "low", "high", "method", "why_none"}
