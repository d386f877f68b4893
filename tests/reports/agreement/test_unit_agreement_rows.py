"""Agreement on units: the same statistics, a row per claim, resampled by question."""

import pytest

from concord.metrics.prompts import verdicts
from concord.model import Cell
from concord.reports.agreement import agreement
from concord.reports.agreement.headline import finding
from concord.reports.panel import panel_reading
from concord.reports.panel.panel import EDITED
from concord.sampling import split_assignment
from concord.store import graders, grades
from concord.store.grades import Press
from concord.store.rubrics import rubric_versions
from concord.store.units import units

RUBRIC = verdicts.rubric("claims-in-contexts")
PER_ITEM = 2


@pytest.fixture
def labelled(store, sheet):
    """Two claims for each answer; an annotator and a judge label them, differing on every sixth."""
    rubric_versions.register(store, RUBRIC, "preset")
    version = RUBRIC.version(RUBRIC.criteria[0])
    person = graders.ensure(store, "person", "ana")
    judge = graders.ensure(store, "metric", "rag-metrics", "f" * 16)
    number = 0
    for (item_id,) in store.rows("select id from items order by id"):
        cells = [Cell(f"Claim {place}.", place) for place in range(PER_ITEM)]
        for unit in units.keep(store, item_id, "claim", cells, judge).units:
            score = (0, 1, 3, 3)[number % 4]
            said = score if number % 6 else 3 - score
            press = Press(item_id, version, person, score=score, unit_id=unit.id, blind=True)
            grades.record(store, [press, press._replace(grader_id=judge, score=said, blind=None)])
            number += 1
    return number


def test_agreement_counts_units_and_resamples_their_questions(store, sheet, labelled):
    panel = panel_reading.read(store, sheet, RUBRIC)
    (row,) = agreement.report(panel, "each").rows
    questions = store.value("select count(distinct question_id) from items")
    assert (row.judge, row.criterion) == ("rag-metrics", "claim_in_contexts")
    assert (row.n, row.questions) == (labelled, questions)
    assert row.statistics["exact"].value == pytest.approx(1 - (labelled // 6) / labelled)


def test_sentences_count_claims_and_name_labels_and_the_title(store, sheet, labelled):
    panel = panel_reading.read(store, sheet, RUBRIC)
    (row,) = agreement.report(panel).rows
    said = finding(row).headline
    assert f"on “{RUBRIC.criteria[0].title}” for" in said
    assert f"of {labelled} claims (" in said
    assert "majority-class baseline 50%" in said
    assert "answers" not in said and "claim_in_contexts" not in said


def test_a_claim_that_was_edited_away_is_left_out_with_its_reason(store, sheet, labelled):
    person = graders.ensure(store, "person", "ana")
    item_id = store.value("select min(id) from items")
    old = units.current(store, [item_id], "claim")[item_id]
    stays, goes = old.units
    units.edit(store, old, [(stays.id, stays.text), (goes.id, "Put right.")], person)
    panel = panel_reading.read(store, sheet, RUBRIC)
    assert list(panel.items.loc[panel.items["closed"] == EDITED, "id"]) == [goes.id]
    (row,) = agreement.report(panel, "each").rows
    assert row.n == labelled - 1
    assert row.left_out[EDITED] == 1


def test_units_of_a_question_that_judges_saw_are_never_scored(store, sheet, labelled):
    question = store.value("select min(question_id) from items")
    split_assignment.assign(store, [question], "few-shot", "to be shown")
    panel = panel_reading.read(store, sheet, RUBRIC)
    of_it = store.value("select count(*) from items where question_id = ?", (question,))
    assert (~panel.open).sum() == of_it * PER_ITEM


def test_answers_and_their_units_are_graded_side_by_side(store, sheet, labelled):
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
def test_what_is_said_of_whole_answers_refuses_a_rubric_of_units(labelled, run, verb):
    said = run(*verb, "--rubric", "claims-in-contexts", code=2).stderr
    assert "about whole answers" in said
    assert "`agreement --rubric claims-in-contexts`" in said
    assert "the screen Evidence" in said


def test_a_sheet_of_which_only_units_are_graded_says_so_to_the_ranking(labelled, run):
    assert "is of units (claims)" in run("ranking", code=2).stderr
