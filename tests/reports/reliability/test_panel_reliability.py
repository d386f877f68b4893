import numpy as np
import pytest

from concord.messages import message_of
from concord.reports.document import as_json
from concord.reports.panel.criterion_comparison import ONE_PERSON
from concord.reports.panel.panel import read
from concord.reports.reliability.panel_reliability import FIGURES, TOO_FEW, rows
from concord.stats.reliability.multi_rater import krippendorff_alpha
from concord.store import sheets
from concord.store.rubrics import rubric_versions
from tests.support.panels import give, panel


def correctness(read_panel):
    (found,) = [row for row in rows(read_panel) if row.criterion == "correctness"]
    return as_json(found)


def test_all_annotators_count_at_once(sample_store):
    sheet = sheets.all_sheets(sample_store)[0]
    rubric = rubric_versions.named(sample_store, "doc-qa-0-3")[1]
    sample = read(sample_store, sheet, rubric)
    scores = np.stack([sample.of("correctness", person).score for person in sample.annotators])
    found = correctness(sample)
    assert found["annotators"] == 3
    assert found["n"] == int(((~np.isnan(scores)).sum(axis=0) > 1).sum())
    alpha = krippendorff_alpha(scores, rubric.scale, "ordinal", sample.cluster)
    assert found["alpha"]["value"] == pytest.approx(alpha.value)
    assert found["alpha"]["low"] == pytest.approx(alpha.low)


def test_one_person_and_too_few_answers_are_undefined_with_the_reason(store, sheet, rubric):
    give(store, rubric[1], "Ana", {0: 3, 1: 2})
    found = correctness(panel(store, rubric[1]))
    assert {found[name]["why_none"] for name in FIGURES} == {message_of(ONE_PERSON)}
    give(store, rubric[1], "Ben", {0: 3, 1: 2})
    found = correctness(panel(store, rubric[1]))
    assert found["n"] == 2
    assert {found[name]["why_none"] for name in FIGURES} == {TOO_FEW}
