"""A pending annotator: few grades under a self-chosen name, in no figure until included."""

import pytest

from concord.grading import grading_sets
from concord.grading.annotators import IS_PENDING
from concord.messages import Problem
from concord.reports.agreement.agreement import report
from concord.reports.document import as_json
from concord.reports.panel import panel as panel_reading
from concord.reports.panel import sampling_weights
from concord.reports.panel.criterion_comparison import NOT_INCLUDED
from concord.store import graders
from concord.store.database import open_store
from concord.store.rubrics import rubric_versions
from tests.support import scales
from tests.support.screens import opened, said


def typed(store, sheet, answers, name="Zoe"):
    """Somebody typed this name and graded the first answers; returns the grader's id."""
    zoe = graders.ensure_annotator(store, name)
    scales.grade(store, sheet, zoe.id, "doc-qa-0-3", dict.fromkeys(range(answers), 0))
    return zoe.id


def read(store, sheet, names=None):
    return panel_reading.read(store, sheet, rubric_versions.named(store, "doc-qa-0-3")[1], names)


def include(store, sheet, person):
    graders.decide_annotator(store, sheet.id, person, "included", "Lea")


def rows(store, sheet):
    return as_json(report(read(store, sheet)))["rows"]


def test_few_grades_under_a_typed_name_change_no_figure(store, judged_sheet):
    before = rows(store, judged_sheet)
    zoe = typed(store, judged_sheet, 9)
    panel = read(store, judged_sheet)
    assert panel.uncounted == {"Zoe": IS_PENDING} and zoe not in panel.annotators
    assert rows(store, judged_sheet) == before
    with pytest.raises(Problem, match=r"“Zoe” is pending.*annotators --include NAME"):
        read(store, judged_sheet, ["Zoe"])


@pytest.mark.parametrize("answers", [9, 10])
def test_a_pending_annotator_counts_once_included_or_from_ten_answers_on(
    store, judged_sheet, answers
):
    zoe = typed(store, judged_sheet, answers)
    if answers < graders.ENOUGH:
        include(store, judged_sheet, zoe)
    assert zoe in read(store, judged_sheet).annotators


def test_what_only_a_pending_annotator_graded_is_left_out_by_that_reason(store):
    sheet = scales.graded_sheet(store)
    judge = scales.judged(store, sheet, "gpt")
    store.execute("delete from grades where item_id <= 3 and grader_id <> ?", (judge,))
    typed(store, sheet, 3)
    row = next(row for row in rows(store, sheet) if row["criterion"] == "correctness")
    assert row["left_out"] == {NOT_INCLUDED: 3} and row["n"] == scales.ANSWERS - 3


def test_it_is_not_said_why_a_pending_annotators_grades_are_outside_a_sample(
    store, judged_sheet, rubric
):
    grading_sets.create(store, judged_sheet.id, rubric[0], "Set", None, 1, 9, 0.0)
    zoe = typed(store, judged_sheet, 2)
    assert not sampling_weights.drawn(store, read(store, judged_sheet)).excluded_grades
    include(store, judged_sheet, zoe)
    [why] = sampling_weights.drawn(store, read(store, judged_sheet)).excluded_grades
    assert why.startswith("2 answers of “Set” that Zoe graded")


def test_a_stray_key_press_does_not_replace_simulated_annotators(store, judged_sheet):
    store.execute("update graders set simulated = 1 where kind = 'person'")
    typed(store, judged_sheet, 1)
    assert [one.name for one in read(store, judged_sheet).annotators.values()] == ["Ana"]


def test_answers_of_a_merged_name_count_towards_the_ten(store, judged_sheet):
    zoe = typed(store, judged_sheet, 9)
    other = graders.ensure_annotator(store, "Zo").id
    scales.grade(store, judged_sheet, other, "doc-qa-0-3", {20: 1})
    graders.merge(store, other, zoe)
    assert not graders.get(store, zoe).pending


def test_a_lead_includes_an_annotator_on_screen(store, judged_sheet, monkeypatch):
    zoe = typed(store, judged_sheet, 2)
    app = opened(monkeypatch, store.path, "pages/agreement.py", sheet=judged_sheet.name)
    assert "Without Zoe (pending, with fewer than 10 graded answers" in said(app)
    app = opened(monkeypatch, store.path, "pages/progress.py", sheet=judged_sheet.name)
    app = app.button(key=f"include.{zoe}").click().run()
    assert not app.exception
    with open_store(store.path) as fresh:
        assert zoe in read(fresh, judged_sheet).annotators


def test_every_grader_of_a_file_counts_at_once(store, judged_sheet):
    assert not any(one.pending for one in graders.of_kind(store, "person"))
