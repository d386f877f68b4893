"""Calibration maps in the reports and on the ranking screen."""

import numpy as np

from concord.reports.agreement import calibration_map
from concord.store.rubrics import rubric_versions
from tests.support.panels import give, panel
from tests.support.screens import opened, tables


def lenient(store, sheet, rubric):
    """A judge one point above Ana, but at the top, on the 36 answers of the sheet `numbers`."""
    truth = {n: (n // 3 + n) % 4 for n in range(36)}
    give(store, rubric[1], "Ana", truth)
    said = {n: min(score + 1, 3) for n, score in truth.items()}
    return give(store, rubric[1], "gpt", said, kind="judge")


def test_a_lenient_judge_is_set_right_by_its_map(store, sheet, rubric):
    judge = lenient(store, sheet, rubric)
    found = calibration_map.report(panel(store, rubric[1]), judge)
    median = next(one for one in found if one.found.kind == "median")
    assert median.criterion == "correctness"
    assert np.isnan(median.found.mapped[0])  # it never gives a 0
    assert median.found.after["exact"].value > median.found.before["exact"].value
    (table,) = calibration_map.document(found).tables
    rows = [row for row in table.rows if row[0] == "correctness"]
    assert [row[1] for row in rows] == ["as it is", *calibration_map.KINDS.values()]
    bias = [column.title for column in table.columns].index("bias")
    assert -0.1 < rows[1][bias].value < 0.2
    assert rows[2][2].startswith("1→0")


def test_a_criterion_that_nobody_graded_says_why_it_has_no_map(store, sheet, rubric):
    judge = lenient(store, sheet, rubric)
    found = calibration_map.report(panel(store, rubric[1]), judge)
    notes = calibration_map.document(found).notes
    assert any("readability: a calibration map requires 5" in note for note in notes)


def test_the_ranking_screen_shows_the_maps_folded(sample_db, monkeypatch):
    app = opened(monkeypatch, sample_db, "pages/ranking.py", judge="simulated-lenient-judge")
    assert not app.exception
    frame = next(f for f in tables(app) if "maps to" in f.columns)
    assert set(frame["scores"]) == {"as it is", *calibration_map.KINDS.values()}


def test_a_map_of_the_sample_that_collapses_is_called_a_failure(sample_store):
    """Without some questions the lenient judge's 2 and 3 mean the same to annotators."""
    rubric = rubric_versions.named(sample_store, "doc-qa-0-3")[1]
    found = panel(sample_store, rubric)
    judge = next(i for i, label in found.labels.items() if label == "simulated-lenient-judge")
    every = calibration_map.report(found, judge)
    failed = [one for one in every if one.found.failure]
    assert [(one.criterion, one.found.kind) for one in failed] == [("readability", "median")]
    assert failed[0].found.distinct == 1
    assert failed[0].found.after["qwk"].value < 0.05
    (said,) = calibration_map.document(every).notes
    assert said.startswith(
        "readability, read as annotators' median: a failure, since it maps every"
    )
