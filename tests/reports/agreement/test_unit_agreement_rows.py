"""Agreement on units: the same statistics, a row per claim, resampled by question."""

import pytest

from concord.reports.agreement import agreement
from concord.reports.agreement.headline import finding
from concord.reports.panel import panel_reading
from concord.reports.panel.panel import EDITED
from concord.sampling import split_assignment
from concord.store import graders
from concord.store.rubrics import rubric_versions
from concord.store.units import units
from tests.support.unit_verdicts import CLAIMS, PER_ITEM


def test_agreement_counts_units_and_resamples_their_questions(store, sheet, differing_on_sixths):
    panel = panel_reading.read(store, sheet, CLAIMS)
    (row,) = agreement.report(panel, "each").rows
    questions = store.value("select count(distinct question_id) from items")
    assert (row.judge, row.criterion) == ("rag-metrics", "claim_in_contexts")
    assert (row.n, row.questions) == (differing_on_sixths, questions)
    assert row.statistics["exact"].value == pytest.approx(
        1 - (differing_on_sixths // 6) / differing_on_sixths
    )


def test_sentences_count_claims_and_name_labels_and_the_title(store, sheet, differing_on_sixths):
    panel = panel_reading.read(store, sheet, CLAIMS)
    (row,) = agreement.report(panel).rows
    found = finding(row, CLAIMS)
    said = " ".join([found.headline, *found.facts])
    assert f"exact agreement on “{CLAIMS.criteria[0].title}”" in said
    assert f"on {differing_on_sixths} claims" in said
    assert "Majority-class baseline: 50%" in found.facts[0]
    assert "answers" not in said and "claim_in_contexts" not in said


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


def test_units_of_a_question_that_judges_saw_are_never_scored(store, sheet, differing_on_sixths):
    question = store.value("select min(question_id) from items")
    split_assignment.assign(store, [question], "few-shot", "to be shown")
    panel = panel_reading.read(store, sheet, CLAIMS)
    of_it = store.value("select count(*) from items where question_id = ?", (question,))
    assert (~panel.open).sum() == of_it * PER_ITEM


def test_answers_and_their_units_are_graded_side_by_side(store, sheet, differing_on_sixths):
    assert rubric_versions.graded(store, sheet.id) == []
    assert rubric_versions.units_graded(store, sheet.id) == ["claims-in-contexts"]
    assert "claims-in-contexts" not in rubric_versions.names(store)


@pytest.mark.parametrize(
    "verb",
    [
        ("disagreements",),
        ("disagreements", "--by", "ana"),
        ("ranking",),
        ("choose", "--against", "rag-metrics"),
        ("certificate", "rag-metrics"),
        ("compare",),
        ("compare", "--study", "scales"),
        ("plan",),
        ("plan", "--draw", 3, "--yes"),
        ("cascade",),
    ],
)
def test_what_is_said_of_whole_answers_refuses_a_rubric_of_units(differing_on_sixths, run, verb):
    said = run(*verb, "--rubric", "claims-in-contexts", code=2).stderr
    assert "This report is about whole answers, and rubric claims-in-contexts grades units" in said
    assert "`agreement --rubric claims-in-contexts`" in said
    assert "`disagreements --contradicted`" in said


def test_a_sheet_of_which_only_units_are_graded_says_so_to_the_ranking(differing_on_sixths, run):
    assert "grades units (claims)" in run("ranking", code=2).stderr
