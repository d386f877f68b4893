"""Continuous grades: a judge's own numbers and means of annotators, kept as they are."""

from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest

from concord.messages import Problem, for_screen, message_of
from concord.reports import terminal
from concord.reports.agreement import agreement, bias_tests
from concord.reports.agreement import document as whole_document
from concord.reports.agreement.document import figures
from concord.reports.agreement.rows import rows
from concord.reports.certificate.contents import refuse
from concord.reports.disagreements import disagreements
from concord.reports.document import as_json
from concord.reports.panel import candidates
from concord.reports.reliability.test_retest import of_judge
from concord.reports.segments import agreement_by_segment
from concord.reports.segments.segment_column import SegmentColumn
from concord.store import graders, sheets
from concord.store.rubrics import rubric_versions
from concord.ui.charts.intervals import draw
from concord.ui.screens.agreement import DETAILS, AgreementChoice, thresholds
from tests.support.panels import give, judge, panel
from tests.support.reports.continuous_grades import ANNOTATOR, OWN

NULL = ("exact", "within_one", "off_by_two", "kappa", "qwk", "ac2", "alpha")


def of(panel, name, criterion="correctness", reference="each"):
    wanted = (name, criterion, reference)
    (found,) = (r for r in rows(panel) if (r.judge, r.criterion, r.reference) == wanted)
    return found


def mean(store, doc_qa, scores):
    graders.ensure(store, "person", "crowd", definition={"mean": True})
    version = doc_qa.versions()["correctness"]
    crowd = graders.find(store, "person", "crowd").id
    ids = [row["id"] for row in store.rows("select id from items order by id")]
    for item_id, score in zip(ids, scores, strict=False):
        store.insert(
            "grades", item_id=item_id, version=version, grader_id=crowd, status="scored",
            score=score, created_at="2026-01-01T00:00:00.000Z",
        )  # fmt: skip


def test_what_rests_on_equal_scores_is_null_and_errors_and_correlations_hold(continuous_panel):
    row = of(continuous_panel, "own")
    assert row.n == 36 and row.annotators == 1
    for key in NULL:
        assert row.statistics[key].value is None, key
        assert row.statistics[key].why_none.code == "continuous_grades"
    assert row.statistics["failure_recall"].why_none.code == "continuous_grades_need_cut"
    assert row.statistics["bias"].value == pytest.approx(0.5 / 4)
    assert row.statistics["mae"].value == pytest.approx(1 / 4)
    # deviations -1.125, -.375, .375, 1.125 and -1.5, -.5, .5, 1.5: a straight line
    for key in ("pearson", "spearman", "tau_b"):
        assert row.statistics[key].value == pytest.approx(1)
    assert (row.continuous.low, row.continuous.high, row.continuous.on_range) == (0.5, 2.75, True)
    assert of(continuous_panel, "whole").continuous is None
    assert of(continuous_panel, "whole").statistics["exact"].value == 1


def test_numbers_beyond_the_scale_have_no_bias(store, sheet, doc_qa):
    give(store, doc_qa, "Ana", dict(enumerate(ANNOTATOR)))
    judge(store, doc_qa, "own", {n: score / 3 + 2.5 for n, score in enumerate(ANNOTATOR)})
    row = of(panel(store, doc_qa), "own")
    assert not row.continuous.on_range
    assert message_of(row.statistics["bias"].why_none) == (
        "the judge's numbers run from 2.5 to 3.5, beyond the scale of 0 to 3"
    )
    assert row.statistics["mae"].value is None
    assert row.statistics["pearson"].value == pytest.approx(1)


def test_the_range_of_numbers_is_rounded(continuous_panel, doc_qa):
    one = of(continuous_panel, "own")
    one = replace(one, continuous=replace(one.continuous, low=0.00617053, high=2.99937))
    tables = {table.name: table for table in figures([one], doc_qa).tables}
    assert "0.006171 to 2.999" in tables["continuous"].rows[0]


def test_numbers_of_0_to_1_on_a_longer_scale_are_warned_of(store, sheet, doc_qa):
    give(store, doc_qa, "Ana", dict(enumerate(ANNOTATOR)))
    judge(store, doc_qa, "own", {n: score / 3 for n, score in enumerate(ANNOTATOR)})
    assert "If they are on a range of 0 to 1" in of(panel(store, doc_qa), "own").note


def test_a_mean_is_a_reference_of_its_own_without_a_ceiling(store, continuous_panel, doc_qa):
    mean(store, doc_qa, [score + 0.5 if score < 3 else 3 for score in ANNOTATOR])
    found = panel(store, doc_qa)
    assert [one.name for one in found.annotators.values()] == ["Ana"]
    assert "mean of several annotators" in message_of(found.uncounted["crowd"])
    row = of(found, "whole", reference="mean")
    assert (row.continuous.mean, row.n, row.ceiling.n) == ("crowd", 36, 0)
    assert row.statistics["bias"].value == pytest.approx(-0.5 * 3 / 4)
    assert row.ceiling.statistics["exact"].value is None
    assert "does not show how far they agree" in message_of(row.ceiling.why_none)
    assert of(found, "whole").statistics["exact"].value == 1


def test_with_a_mean_alone_judges_are_compared_with_it(store, sheet, doc_qa):
    judge(store, doc_qa, "whole", dict(enumerate(ANNOTATOR)))
    mean(store, doc_qa, [1.5] * 20 + [2.5] * 16)
    found = panel(store, doc_qa)
    assert {row.reference for row in rows(found)} == {"mean"}
    text = terminal.text(whole_document.document(agreement.report(found), doc_qa))
    assert "whole has a Pearson correlation of 0.00 on correctness" in text


def test_every_reader_says_that_it_does_not_apply(store, continuous_panel, doc_qa):
    own = next(one for one in continuous_panel.judges.values() if one.name == "own")
    whole = next(one for one in continuous_panel.judges.values() if one.name == "whole")
    why = "own are continuous numbers, and a choice rests on exact"
    with pytest.raises(Problem, match=why) as refused:
        candidates.field(continuous_panel, "correctness", own)
    assert "--against" in str(refused.value) and "--" not in for_screen(refused.value.on_screen)
    left = candidates.field(continuous_panel, "correctness", whole).left_out
    assert "continuous numbers" in message_of(left["own"])
    assert disagreements.every(continuous_panel).empty
    assert "Not compared here" in continuous_panel.continuous_note()
    assert (
        continuous_panel.continuous_note(own.id)
        and continuous_panel.continuous_note(whole.id) is None
    )


def test_a_certificate_does_not_apply(store, sheet):
    criteria = [{"name": "quality", "weight": 1, "question": "Quality"}]
    one = rubric_versions.from_body(
        '{"name":"q","title":"Q","scale":[1,2,3],"criteria":[{"name":"quality","weight":"1",'
        '"question":"Quality"}]}'
    )
    assert criteria
    rubric_versions.register(store, one, "file")
    give(store, one, "Ana", {0: 1, 1: 2}, "quality")
    judge(store, one, "own", {0: 1.5, 1: 2}, criterion="quality")
    found = panel(store, one)
    why = "own are continuous numbers, and a certificate rests on"
    with pytest.raises(Problem, match=why) as refused:
        refuse(found, next(iter(found.judges.values())))
    assert "`" in str(refused.value) and "`" not in for_screen(refused.value.on_screen)


def test_the_whole_report_has_the_cut_and_is_written(store, continuous_panel, doc_qa):
    mean(store, doc_qa, [score + 0.5 if score < 3 else 3 for score in ANNOTATOR])
    found = agreement.whole(store, panel(store, doc_qa), by_answer_model=True)
    (threshold,) = found.thresholds
    assert (threshold.judge, threshold.criterion, threshold.found.usual) == (
        "own",
        "correctness",
        1.5,
    )
    assert threshold.auc.value == pytest.approx(1)  # failing .5 and 1.25, passing 2 and 2.75
    document = as_json(found)
    assert any(row.get("continuous") for row in document["rows"])
    text = terminal.text(whole_document.document(found, doc_qa))
    assert "Continuous grades" in text and "Pass and fail by continuous grades" in text


def test_the_screen_shows_them(store, continuous_panel, doc_qa, monkeypatch):
    from tests.support.screens import opened, said

    mean(store, doc_qa, [2.5] * 36)
    assert sheets.all_sheets(store)
    app = opened(monkeypatch, store.path, "pages/agreement.py", judge="own")
    assert not app.exception
    assert "which have no cells" in said(app) and "no answer in common" not in said(app)
    # The table is where the matrix would be, with the sentence that refers to it.
    assert "The threshold below" in said(app)
    assert "Fitted thresholds" in [one.value for one in app.subheader]
    app = opened(monkeypatch, store.path, "pages/agreement.py")
    assert not app.exception
    assert "continuous numbers" in said(app)


def test_the_detail_of_thresholds_is_where_a_judge_is_continuous(continuous_panel):
    (detail,) = (one for one in DETAILS if one.show is thresholds)
    none = replace(continuous_panel, continuous={})
    for found, applies in ((continuous_panel, True), (none, False)):
        report = SimpleNamespace(on=lambda criterion, found=found: found)
        assert detail.applies(report, AgreementChoice("own", "correctness", "each")) is applies
        assert not detail.applies(report, AgreementChoice("own", "readability", "each"))


def test_the_chart_shows_the_judge_with_why_it_has_no_exact_agreement(continuous_panel, doc_qa):
    found = [row for row in rows(continuous_panel) if row.criterion == "correctness"]
    (chart,) = figures(found, doc_qa).charts
    words = chart.alt
    assert "own on correctness" in words and "continuous numbers" in words
    texts = [one.text for one in draw(chart).layout.annotations]
    assert any("continuous numbers" in text for text in texts)


def test_a_bias_test_says_that_it_is_of_scores(continuous_panel, doc_qa):
    found = bias_tests.run(continuous_panel, np.ones(36))
    own = [test for test in found if test.judge == "own" and test.criterion == "correctness"]
    assert {test.probe for test in own} == {"leniency", "spread", "length", "self_preference"}
    assert {test.effect.why_none for test in own} == {bias_tests.NUMBERS}


def test_segments_name_the_judges_that_they_leave_out(continuous_panel):
    items = continuous_panel.items["item_id"]
    column = SegmentColumn("team", "team", dict.fromkeys(items.tolist(), "a"))
    found = agreement_by_segment.report(continuous_panel, column, criteria=["correctness"])
    assert [one.judge for one in found.judges] == ["whole"]
    assert "own" in found.not_compared


def test_repeats_are_compared_by_the_sd_of_their_difference(store, continuous_panel, doc_qa):
    own = next(i for i, name in continuous_panel.labels.items() if name == "own")
    later = {0: OWN[0] + 0.2, 1: OWN[1] - 0.4}
    judge(store, doc_qa, "own", later, repeat=2)
    found = of_judge(panel(store, doc_qa), own, ["correctness"])
    assert (found.scores, found.repeats) == (2, 2)
    assert found.difference_sd.value == pytest.approx(((0.2**2 + 0.4**2) / 2) ** 0.5)
    assert found.exact.why_none.code == "continuous_grades"
    whole = next(i for i, name in continuous_panel.labels.items() if name == "whole")
    assert of_judge(continuous_panel, whole, ["correctness"]).difference_sd is None


def test_a_metric_has_a_row_only_where_it_has_values(store, sheet, doc_qa):
    judge(store, doc_qa, "whole", dict(enumerate(ANNOTATOR)))
    mean(store, doc_qa, [1.5] * 36)
    graders.ensure(store, "metric", "bleu")
    version, bleu = doc_qa.versions()["correctness"], graders.find(store, "metric", "bleu").id
    for n, row in enumerate(store.rows("select id from items order by id")):
        store.insert(
            "grades", item_id=row["id"], version=version, grader_id=bleu, status="scored",
            score=n / 100, created_at="2026-01-01T00:00:00.000Z",
        )  # fmt: skip
    found = rows(panel(store, doc_qa))
    assert [one.criterion for one in found if one.judge == "bleu"] == ["correctness"]
