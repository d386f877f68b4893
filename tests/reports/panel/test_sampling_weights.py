"""Sheets of which an unequal draw was graded: what counts, what weighs how much, what is said."""

import json

import numpy as np
import pytest

from concord.grading import grading_sets
from concord.judges.definition.model import Judge
from concord.language.languages import shown
from concord.reports.agreement import agreement, confusion
from concord.reports.agreement.rows import rows as agreement_rows
from concord.reports.agreement.rows import whole_rows
from concord.reports.comparison import compare
from concord.reports.document import as_json
from concord.reports.panel import provenance, sheet_grading, variants
from concord.reports.panel.criterion_comparison import EACH, NOT_DRAWN, reference
from concord.reports.panel.panel import COMPOSITE, REWEIGHTED
from concord.reports.panel.provenance import weighting
from concord.reports.ranking import ranking
from concord.store import graders, items
from concord.store.kept_results import state_key
from tests.support.panels import SUSPECTED, drawn, give, judge, panel
from tests.support.reports.choices import chosen


def test_each_answer_weighs_one_over_its_chance_and_shares_say_so(store, enriched, doc_qa):
    give(store, doc_qa, "Ana", dict.fromkeys(range(14), 3))
    judge(store, doc_qa, "alpha", {n: 0 if n in SUSPECTED else 3 for n in range(40)})
    made = panel(store, doc_qa)
    weight = made.weight[:14]
    assert weight.mean() == pytest.approx(1)
    assert weight[13] == pytest.approx(4 * weight[0])
    found = as_json(agreement.report(made))
    row = next(row for row in found["rows"] if row["criterion"] == "correctness")
    assert row["n"] == 14
    assert row["exact"]["value"] == pytest.approx(40 / 44)  # 10 answers of 4 each, 4 of 1 missed
    assert row["bias"]["value"] == pytest.approx(-3 * 4 / 44)
    assert REWEIGHTED in row["signature"]
    assert row["left_out"] == {"no annotator's grade": 26}
    assert "“More” were sampled with known, unequal inclusion probabilities" in found["weighting"]
    table = confusion.confusion(made, next(iter(made.judges)), "correctness")
    assert np.array(table.weights)[3] == pytest.approx([14 * 4 / 44, 0, 0, 14 * 40 / 44])
    assert table.n == 14


def test_the_order_of_answering_models_is_reweighted(store, enriched, doc_qa):
    for criterion in ("correctness", "comprehensiveness", "readability"):
        give(store, doc_qa, "Ana", {n: 0 if n in SUSPECTED else 3 for n in range(14)}, criterion)
        judge(store, doc_qa, "alpha", dict.fromkeys(range(14), 3), criterion=criterion)
    made = panel(store, doc_qa)
    found = ranking.report(made)
    means = {row.answer_model: row.estimate.value for row in found.models if row.n == 7}
    assert means["atlas"] == 3  # the judge's, which is of all it graded and weighs nothing
    annotators = next(row for row in found.models if row.kind == "annotator")
    assert annotators.estimate.value == pytest.approx(3 * 20 / 22)  # 5 answers of 4 each, 2 of 1
    assert REWEIGHTED in found.signature


def test_what_was_graded_outside_every_draw_is_left_out_and_counted(store, enriched, doc_qa):
    give(store, doc_qa, "Ana", dict.fromkeys([*range(14), 30, 31], 3))
    judge(store, doc_qa, "alpha", dict.fromkeys(range(40), 3))
    made = panel(store, doc_qa)
    assert made.weight[30] == 0
    assert reference(made, "correctness", EACH).why[30] == NOT_DRAWN
    row = as_json(agreement_rows(made, criteria=["correctness"])[0])
    assert (row["n"], row["left_out"][NOT_DRAWN]) == (14, 2)


def test_an_earlier_even_draw_joins_the_unequal_one(store, enriched, rubric, doc_qa):
    first = grading_sets.create(store, enriched.id, rubric[0], "Pilot", 8, seed=2)
    ids = items.item_ids(store, enriched.id)
    rows = store.rows("select item_id from grading_set_items where set_id = ?", (first.id,))
    pilot = [ids.index(row["item_id"]) for row in rows]
    give(store, doc_qa, "Ana", dict.fromkeys({*range(14), *pilot}, 3))
    made = panel(store, doc_qa)
    assert made.weight[0] / made.weight[13] == pytest.approx(1 - 0.8 * 0.75)
    assert (made.weight[pilot] > 0).all()


def test_of_what_a_draw_passed_over_the_chance_must_be_written_down(
    store, forty_questions, rubric, doc_qa
):
    drawn(store, forty_questions, rubric, "More", {n: 0.5 if n < 4 else 0.25 for n in range(14)})
    drawn(store, forty_questions, rubric, "Pilot", dict.fromkeys(range(10, 20), 0.25))
    give(store, doc_qa, "Ana", dict.fromkeys(range(20), 3))
    made = panel(store, doc_qa)
    assert (made.weight > 0).tolist() == [n < 14 for n in range(40)]


def test_even_draws_weigh_nothing(store, forty_questions, rubric, doc_qa):
    grading_sets.create(store, forty_questions.id, rubric[0], "Set 1", 15, seed=1)
    grading_sets.create(store, forty_questions.id, rubric[0], "Set 2", 8, seed=2)
    give(store, doc_qa, "Ana", dict.fromkeys(range(40), 3))
    made = panel(store, doc_qa)
    assert not made.reweighted
    assert (made.weight == 1).all()
    assert weighting(made) is None


def test_a_new_draw_makes_reports_anew(store, forty_questions, rubric):
    before = state_key(store, forty_questions)
    grading_sets.create(store, forty_questions.id, rubric[0], "Set 1", 15, seed=1)
    assert state_key(store, forty_questions) != before


def test_the_composite_and_peoples_own_agreement_weigh_the_same(store, enriched, doc_qa):
    for criterion in ("correctness", "comprehensiveness", "readability"):
        give(store, doc_qa, "Ana", dict.fromkeys(range(14), 3), criterion)
        give(store, doc_qa, "Ben", {n: 1 if n in SUSPECTED else 3 for n in range(14)}, criterion)
        judge(store, doc_qa, "alpha", dict.fromkeys(range(14), 3), criterion=criterion)
    rows = {row["criterion"]: row for row in as_json(agreement_rows(panel(store, doc_qa)))}
    assert rows[COMPOSITE]["mae"]["value"] == pytest.approx(0.5 * 2 * 4 / 44)
    assert rows["correctness"]["ceiling"]["exact"]["value"] == pytest.approx(40 / 44)
    assert rows["correctness"]["majority_baseline"]["exact"] == pytest.approx(42 / 44)


WILSON = "Wilson at effective n {size:.1f} of {answers:.1f}, t({degrees})"
JACKKNIFE = "question jackknife, t({degrees}) on {scale}"
SIMULTANEOUS = "question jackknife; differences simultaneous, question max-t at {level:g}"


def _agreement(store, doc_qa, sheet):
    return next(row for row in agreement.report(panel(store, doc_qa)).rows if row.n).signature


def _composite(store, doc_qa, sheet):
    rows = whole_rows(panel(store, doc_qa))
    return next(row for row in rows if row.criterion == COMPOSITE).signature


def _ranking(store, doc_qa, sheet):
    return ranking.report(panel(store, doc_qa)).signature


def _comparison(store, doc_qa, sheet):
    found = variants.read(store, sheet)
    return compare.report(found.every, found.annotators()).signature


def _choice(store, doc_qa, sheet):
    return chosen(store, doc_qa).signature


@pytest.mark.parametrize(
    ("signature", "known", "english", "japanese"),
    [
        (
            _agreement,
            {WILSON: "Wilson、実効n {size:.1f} / {answers:.1f}、t({degrees})"},
            ("interval: Wilson at effective n 36.0 of 36.0, t(11) | ",),
            ("Wilson、実効n 36.0 / 36.0、t(11) | ",),
        ),
        (
            _composite,
            {
                JACKKNIFE: "{scale}でのジャックナイフ",
                "square root": "平方根",
                "{method}, approximate": "{method}、概算",
            },
            ("interval: question jackknife, t(11) on square root, approximate | ",),
            ("：平方根でのジャックナイフ、概算 | ",),
        ),
        (
            _ranking,
            {"question jackknife": "質問のジャックナイフ", "question bootstrap": "質問の再標本"},
            ("intervals: question jackknife | ", "orders: question bootstrap, "),
            ("：質問のジャックナイフ | ", "：質問の再標本, "),
        ),
        (
            _comparison,
            {SIMULTANEOUS: "質問のジャックナイフ、同時 {level:g}"},
            ("limits: question jackknife; differences simultaneous, question max-t at 0.05 | ",),
            ("：質問のジャックナイフ、同時0.05 | ",),
        ),
        (
            _choice,
            {
                "Wilson at effective n": "実効nのWilson",
                "{method}, {n} clusters": "{method}、{n}群",
            },
            ("intervals: Wilson at effective n, 12 clusters | ",),
            ("：実効nのWilson、12群 | ",),
        ),
    ],
)
def test_the_method_of_an_interval_is_named_in_the_readers_language(
    store, sheet, doc_qa, translate, signature, known, english, japanese
):
    scores = {place: place % 4 for place in range(36)}
    wrong = {place: 3 - score if place % 9 == 0 else score for place, score in scores.items()}
    for criterion in doc_qa.versions():
        give(store, doc_qa, "Ana", scores, criterion)
        judge(store, doc_qa, "dear", wrong, criterion=criterion)
        judge(store, doc_qa, "cheap", scores | {1: 2, 5: 0}, criterion=criterion)
    found = signature(store, doc_qa, sheet)
    assert all(part in found for part in english), found
    translate("ja", known | {"{name}: {what}": "{name}：{what}"})
    said = shown(found, "ja")
    assert all(part in said for part in japanese), said


def test_the_line_that_a_decision_stored_is_read_again(translate):
    line = "rubric: doc-qa | annotators: a | b: c | intervals: Wilson at effective n, 12 clusters"
    assert provenance.read_again(line) == line
    known = {"{method}, {n} clusters": "{method}、{n}群", "{name}: {what}": "{name}：{what}"}
    translate("ja", known | {"rubric": "ルーブリック"})
    said = shown(provenance.read_again(line), "ja")
    assert said.startswith("ルーブリック：doc-qa | ") and " | b: c | " in said
    assert said.endswith("Wilson at effective n、12群")


def _kept(store, fingerprint, name="mine", **settings):
    asked = Judge(name=name, model="m", rubric="doc-qa-0-3", **settings)
    definition = {"judge": json.loads(asked.body())}
    graders.ensure(store, "judge", name, fingerprint, definition=definition)


@pytest.mark.parametrize(
    ("one", "other", "told"),
    [
        ({"temperature": 0}, {}, ["temperature = 0.0", "temperature = default"]),
        (
            {"temperature": 0, "prompt": "few_shot"},
            {},
            ["prompt = few_shot", "prompt = default"],
        ),
    ],
)
def test_judges_of_a_name_are_called_by_the_first_setting_in_which_they_differ(
    store, one, other, told
):
    _kept(store, "d159e54c5df1047e", **one)
    _kept(store, "7bf46b3f9aa5b4df", **other)
    _kept(store, "f" * 16, "alone")
    assert sheet_grading.names(store) == {
        "mine@d159e54c5df1047e": f"mine ({told[0]})",
        "mine@d159e5": f"mine ({told[0]})",
        "mine@7bf46b3f9aa5b4df": f"mine ({told[1]})",
        "mine@7bf46b": f"mine ({told[1]})",
    }


def test_judges_of_one_name_and_file_are_called_by_their_day_or_their_fingerprint(store):
    for fingerprint in ("a" * 16, "b" * 16, "c" * 16):
        _kept(store, fingerprint)
    store.execute("update graders set created_at = '2026-11-20T10:00:00Z' where id = 1")
    store.execute("update graders set created_at = '2026-11-21T10:00:00Z' where id > 1")
    called = sheet_grading.names(store)
    assert called["mine@aaaaaa"] == "mine (2026-11-20)"
    assert called["mine@bbbbbb"] == "mine (2026-11-21, bbbbbb)"
