"""Agreement on units, per unit and per answer, and the errors of lists, by hand arithmetic."""

import pytest
from scipy import stats

from concord.grading import grading_sets, workspace
from concord.grading.workspace import Key
from concord.messages import message_of
from concord.model import Cell
from concord.reports.agreement import agreement
from concord.reports.agreement.agreement import rows as report_rows
from concord.reports.document import as_json
from concord.reports.panel import panel as panel_reading
from concord.reports.panel.panel import EDITED
from concord.sampling import split_assignment
from concord.store import graders, grades
from concord.store.grades import Press
from concord.store.rubrics import rubric_versions
from concord.store.units import units
from tests.support.evidence_room import CLAIM_VERSION, CLAIMS


def whole(store, sheet):
    return as_json(agreement.units_report(store, panel_reading.read(store, sheet, CLAIMS)))


def failing(store, sheet):
    """Precision and recall of failing verdicts on claims, by judge, from the rows."""
    rows = as_json(report_rows(panel_reading.read(store, sheet, CLAIMS)))
    return {row["judge"]: (row["failure_precision"], row["failure_recall"]) for row in rows}


def test_precision_and_recall_of_unsupported_are_counts_of_units(store, labelled_by_ana):
    (precision, recall) = failing(store, labelled_by_ana)["rag-metrics"]
    # Of 72 claims Ana fails 36 and the judge 18 + 9; both fail 18.
    assert (precision["judge_failing"], recall["failing"]) == (27, 36)
    assert precision["value"] == pytest.approx(18 / 27)
    assert recall["value"] == pytest.approx(18 / 36)
    assert precision["low"] < 18 / 27 < precision["high"]


def test_the_number_by_annotators_is_held_against_the_number_by_the_judge(store, labelled_by_ana):
    rows = {row["metric"]: row for row in whole(store, labelled_by_ana)["by_answer"]}
    row = rows["faithfulness"]
    # By Ana 0 and 1 in turn; by the judge .5 for 0, and for 1 by turns .5 and 1.
    assert (row["n"], row["annotators"], row["questions"]) == (36, 1, 12)
    assert row["mae"]["value"] == pytest.approx((18 * 0.5 + 9 * 0.5) / 36)
    assert row["bias"]["value"] == pytest.approx((18 * 0.5 - 9 * 0.5) / 36)
    annotators = [0, 1, 0, 1] * 9
    judge = [0.5, 0.5, 0.5, 1] * 9
    assert row["spearman"]["value"] == pytest.approx(stats.spearmanr(annotators, judge).statistic)
    assert row["left_out"] == {}


def test_an_answer_that_is_not_labelled_whole_is_left_out_with_its_reason(
    store, labelled_by_ana, ana
):
    one = store.row("select item_id, id from units order by id")
    grades.record(
        store,
        [Press(one["item_id"], CLAIM_VERSION, ana, "withdrawn", unit_id=one["id"], blind=True)],
    )
    rows = {row["metric"]: row for row in whole(store, labelled_by_ana)["by_answer"]}
    assert rows["faithfulness"]["n"] == 35
    assert rows["faithfulness"]["left_out"] == {"not fully labelled by the annotator": 1}


def check_lists(store, sheet, ana, said):
    rubric_id, _ = rubric_versions.named(store, CLAIMS.name)
    made = grading_sets.create(
        store, sheet.id, rubric_id, f"Claims of {ana}", None, 1, repeat_share=0
    )
    places = workspace.window(store, made, ana, CLAIMS, None).places
    for number, place in enumerate(places):
        if number in said:
            key = Key(f"{ana} {number}", place.id, place.steps[-1].slot, *said[number])
            assert workspace.save(store, made, ana, CLAIMS, [key]).refused == {}


def test_errors_of_lists_are_counted_apart_from_verdicts(store, labelled_by_ana, ana):
    before = whole(store, labelled_by_ana)
    assert (
        message_of(before["lists"]["missing"]["why_none"]) == "no annotator has checked a list yet"
    )
    said = {n: ("scored", 1 if n < 9 else 5 if n < 12 else 0) for n in range(35)}
    check_lists(store, labelled_by_ana, ana, said | {35: ("cannot_grade",)})
    after = whole(store, labelled_by_ana)
    lists = after["lists"]
    assert (lists["lists"], lists["annotators"], lists["cannot_say"]) == (35, 1, 1)
    values = {name: lists[name]["value"] for name in ("missing", "invented", "not_atomic", "any")}
    assert values == pytest.approx(
        {"missing": 12 / 35, "invented": 0, "not_atomic": 3 / 35, "any": 12 / 35}
    )
    assert after["by_answer"] == before["by_answer"]


def test_a_list_in_which_a_model_found_nothing_counts_as_well(store, sheet, ana):
    rubric_versions.register(store, CLAIMS, "preset")
    judge = graders.ensure(store, "metric", "rag-metrics", "f" * 16)
    empty, other = (row["id"] for row in store.rows("select id from items order by id limit 2"))
    units.keep(store, empty, "claim", [], judge)
    made = units.keep(store, other, "claim", [Cell("Claim.", 0)], judge)
    label = Press(other, CLAIM_VERSION, ana, score=3, unit_id=made.units[0].id, blind=True)
    grades.record(store, [label])
    check_lists(store, sheet, ana, {0: ("scored", 1), 1: ("scored", 1)})
    found = whole(store, sheet)["lists"]
    assert (found["lists"], found["missing"]["value"]) == (2, 1)


def test_who_checked_lists_and_labelled_no_unit_counts_unless_others_were_named(
    store, labelled_by_ana, ana
):
    ben = graders.ensure(store, "person", "Ben")
    check_lists(store, labelled_by_ana, ben, {n: ("scored", 1) for n in range(20)})
    found = whole(store, labelled_by_ana)["lists"]
    assert (found["lists"], found["annotators"], found["missing"]["value"]) == (20, 1, 1)
    check_lists(store, labelled_by_ana, ana, {n: ("scored", 0) for n in range(36)})
    found = whole(store, labelled_by_ana)["lists"]
    # Of 36 lists 20 were checked by both, and half of what was said of those is an error.
    assert (found["lists"], found["annotators"]) == (36, 2)
    assert found["missing"]["value"] == pytest.approx(10 / 36)
    panel = panel_reading.read(store, labelled_by_ana, CLAIMS, ["Ana"])
    assert agreement.list_errors(store, panel)["annotators"] == 1


def test_what_judges_saw_is_in_none_of_it(store, labelled_by_ana, ana):
    check_lists(store, labelled_by_ana, ana, {n: ("scored", 1) for n in range(36)})
    question = store.value("select min(question_id) from items")
    split_assignment.assign(store, [question], "few-shot", "to be shown")
    found = whole(store, labelled_by_ana)
    assert found["lists"]["lists"] == 33
    assert {row["n"] for row in found["by_answer"]} == {33}


def test_agreement_counts_units_and_resamples_their_questions(store, sheet, differing_on_sixths):
    panel = panel_reading.read(store, sheet, CLAIMS)
    (row,) = agreement.report(panel, "each").rows
    questions = store.value("select count(distinct question_id) from items")
    assert (row.judge, row.criterion) == ("rag-metrics", "claim_in_contexts")
    assert (row.n, row.questions) == (differing_on_sixths, questions)
    assert row.statistics["exact"].value == pytest.approx(
        1 - (differing_on_sixths // 6) / differing_on_sixths
    )


def test_a_claim_that_was_edited_away_is_left_out_with_its_reason(
    store, sheet, differing_on_sixths
):
    person = graders.ensure(store, "person", "ana")
    item_id = store.value("select min(id) from items")
    old = units.current(store, [item_id], "claim")[item_id]
    stays, goes = old.units
    units.edit(store, old, [(stays.id, stays.text), (goes.id, "Put right.")], person)
    panel = panel_reading.read(store, sheet, CLAIMS)
    assert list(panel.items.loc[panel.items["closed"] == EDITED, "id"]) == [goes.id]
    (row,) = agreement.report(panel, "each").rows
    assert row.n == differing_on_sixths - 1
    assert row.left_out[EDITED] == 1


@pytest.mark.parametrize(
    "verb",
    [
        ("disagreements",),
        ("ranking",),
        ("choose", "--against", "rag-metrics"),
        ("certificate", "rag-metrics"),
        ("compare",),
        ("plan",),
        ("cascade",),
    ],
)
def test_what_is_said_of_whole_answers_refuses_a_rubric_of_units(differing_on_sixths, run, verb):
    run(*verb, "--rubric", "claims-in-contexts", code=2)
