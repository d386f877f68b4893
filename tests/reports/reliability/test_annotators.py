"""The annotators who grade: how far they agree, and who is stricter."""

from datetime import UTC, datetime

import numpy as np
import pytest

from concord.messages import message_of
from concord.reports.document import as_json
from concord.reports.lists import score_cells
from concord.reports.panel.criterion_comparison import ONE_PERSON
from concord.reports.panel.panel import read
from concord.reports.reliability import annotator_alerts, reliability
from concord.reports.reliability.reliability import TOO_FEW, inter_rater
from concord.stats.reliability.multi_rater import krippendorff_alpha
from concord.store import graders, sheets
from concord.store.answer_record import ListedScore
from concord.store.rubrics import rubric_versions
from tests.support.panels import panel


def test_each_two_annotators_and_each_against_the_others_by_hand(store, sheet, rubric, give):
    give("Zoe", {0: 3, 1: 2, 2: 1})
    give("Ana", {0: 2, 1: 2, 3: 0})
    give("Ben", {0: 0, 1: 2})
    found = reliability.of_criterion(panel(store, rubric[1]), "correctness")
    rows = {(row["one"], row["other"]): row for row in found["pairs"]}
    assert list(rows) == [("Ana", "Ben"), ("Ana", "Zoe"), ("Ben", "Zoe")]
    assert (rows["Ana", "Zoe"]["n"], rows["Ana", "Zoe"]["exact"].value) == (2, 0.5)
    assert rows["Ana", "Zoe"]["bias"].value == pytest.approx((2 - 3 + 0) / 2)
    strict = {row["annotator"]: row["bias"].value for row in found["strictness"]}
    assert list(strict) == ["Ana", "Ben", "Zoe"]
    # Zoe: 3 beside 2 and 0 is 2 points above on average, 2 beside 2 and 2 is 0.
    assert strict["Zoe"] == pytest.approx((2 + 0) / 2)
    assert strict["Ana"] == pytest.approx((0.5 + 0) / 2)
    assert strict["Ben"] == pytest.approx((-2.5 + 0) / 2)


def test_a_changed_grade_has_its_newest_time(store, sheet, grade_at, panel):
    grade_at("Ana", {0: 3}, "2026-11-01T09")
    grade_at("Ana", {0: 2}, "2026-11-02T09")
    ana = graders.find(store, "person", "Ana").id
    times = annotator_alerts.given_at(store, panel())
    assert datetime.fromtimestamp(times["correctness", ana, 1][0], UTC).day == 2


OLD, NEW = "v1", "v2"


def test_a_cell_has_scores_of_annotators_then_of_judges_under_one_wording():
    graded = (
        ListedScore(1, "correctness", OLD, "person", "Ben", 3),
        ListedScore(1, "correctness", OLD, "judge", "gpt", 2),
        ListedScore(1, "correctness", NEW, "person", "Ben", 0),
        ListedScore(1, "correctness", NEW, "person", "Ana", None),
        ListedScore(1, "correctness", NEW, "judge", "gpt", 1.5),
        ListedScore(2, "correctness", OLD, "judge", "gpt", 1),
        ListedScore(3, "readability", NEW, "person", "Ana", 1),
    )
    found = score_cells(graded)
    assert found == {
        1: {"correctness": "—, 0 | 1.5"},
        2: {"correctness": "— | 1"},
        3: {"readability": "1"},
    }
    assert score_cells(graded, "Ben")[1]["correctness"] == "0, — | 1.5"


def of_all(read_panel):
    (found,) = [row for row in inter_rater(read_panel) if row["criterion"] == "correctness"]
    return as_json(found)


def test_all_annotators_count_at_once(sample_store):
    sheet = sheets.all_sheets(sample_store)[0]
    rubric = rubric_versions.named(sample_store, "doc-qa-0-3")[1]
    sample = read(sample_store, sheet, rubric)
    scores = np.stack([sample.of("correctness", person).score for person in sample.annotators])
    found = of_all(sample)
    assert found["annotators"] == 3
    assert found["n"] == int(((~np.isnan(scores)).sum(axis=0) > 1).sum())
    alpha = krippendorff_alpha(scores, rubric.scale, "ordinal", sample.cluster)
    assert found["alpha"]["value"] == pytest.approx(alpha.value)
    assert found["alpha"]["low"] == pytest.approx(alpha.low)


def test_one_person_and_too_few_answers_are_undefined_with_the_reason(sheet, give, panel):
    give("Ana", {0: 3, 1: 2})
    found = of_all(panel())
    assert {found[name]["why_none"] for name in ("alpha", "ac2")} == {message_of(ONE_PERSON)}
    give("Ben", {0: 3, 1: 2})
    found = of_all(panel())
    assert found["n"] == 2
    assert {found[name]["why_none"] for name in ("alpha", "ac2")} == {TOO_FEW}
