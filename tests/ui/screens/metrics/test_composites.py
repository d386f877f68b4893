"""Composites on the screen Metrics: weights in the address, and what each way says."""

from concord.reports.composites.composite_table import columns
from concord.reports.composites.cross_encoding import encode
from concord.reports.metrics import metric_records
from tests.support.measured_sets import give
from tests.support.panels import give as grade
from tests.support.reports.word_encoder import Words
from tests.support.screens import said

PAGE = "pages/metrics.py"


def shown(app) -> str:
    assert not app.exception and not app.error
    return said(app).replace("\\", "")


def weights(app) -> list[tuple[str, str]]:
    frame = next(f.value for f in app.dataframe if "weight" in f.value.columns)
    return list(zip(frame["metric"], frame["weight"], strict=True))


def test_veras_metrics_are_chosen_and_what_is_missing_says_why(screen, tea):
    app = screen(view="composite")
    words = shown(app)
    assert weights(app) == [("Faithfulness, whole answer", "100%")]
    assert "No weights fitted: no annotator graded every criterion" in words
    assert "No cross-encoder has scored these answers" in words
    assert "Regression test of a new run" in words and "on 30 questions" in words


def test_weights_come_by_the_address(screen, tea):
    app = screen(view="composite", weigh="faithfulness:3,vera_faithfulness:1")
    assert weights(app) == [("Faithfulness", "75%"), ("Faithfulness, whole answer", "25%")]


def test_a_mistyped_weight_is_passed_over(screen, tea):
    app = screen(view="composite", weigh="mood:3,vera_faithfulness:x")
    assert weights(app) == [("Faithfulness, whole answer", "100%")]


def test_with_annotators_weights_are_fitted(screen, store, tea, rubric):
    for criterion in ("correctness", "comprehensiveness", "readability"):
        scores = {place: place % 4 for place in range(60)}
        grade(store, rubric[1], "Ana", scores, criterion)
    words = shown(screen(view="composite", weigh="faithfulness:1"))
    assert "folds of questions: 60 answers" in words


def test_what_a_cross_encoder_takes_no_heed_of_is_said(screen, store, tea):
    encode(store, tea, columns(metric_records.read(store, tea), ["faithfulness"]), Words({}))
    words = shown(screen(view="composite"))
    assert "does not respond as expected to 1 of 1 metric." in words
    assert "not to read “the score is 0.7”" in words


def test_where_two_judges_found_a_metric_one_is_chosen(screen, store, tea):
    give(store, tea.id, "vera_faithfulness", [0] * 60, judge="yours")
    assert "composite 0.00" in shown(screen(view="composite", by="yours"))
    assert "composite 0.00" not in shown(screen(view="composite", by="mine"))
