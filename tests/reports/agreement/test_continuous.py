"""Continuous grades: a judge's own numbers and means of annotators, kept as they are."""

import pytest

from concord.messages import Problem, for_screen, message_of
from concord.reports import disagreements, terminal
from concord.reports.agreement import agreement
from concord.reports.agreement import document as whole_document
from concord.reports.agreement.agreement import rows
from concord.reports.certificate.certification import refuse
from concord.reports.document import as_json
from concord.reports.panel import choice
from concord.reports.segments import SegmentColumn
from concord.reports.segments import agreement as by_segment
from concord.store import graders
from concord.store.rubrics import rubric_versions
from tests.support.panels import give, judge, panel
from tests.support.reports.continuous_grades import ANNOTATOR

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
    assert of(continuous_panel, "whole").continuous is None
    assert of(continuous_panel, "whole").statistics["exact"].value == 1


def test_numbers_beyond_the_scale_have_no_bias(sheet, give, judge, panel):
    give("Ana", dict(enumerate(ANNOTATOR)))
    judge("own", {n: score / 3 + 2.5 for n, score in enumerate(ANNOTATOR)})
    row = of(panel(), "own")
    assert message_of(row.statistics["bias"].why_none) == (
        "the judge's numbers run from 2.5 to 3.5, beyond the scale of 0 to 3"
    )
    assert row.statistics["mae"].value is None
    assert row.statistics["pearson"].value == pytest.approx(1)


def test_numbers_of_0_to_1_on_a_longer_scale_are_warned_of(sheet, give, judge, panel):
    give("Ana", dict(enumerate(ANNOTATOR)))
    judge("own", {n: score / 3 for n, score in enumerate(ANNOTATOR)})
    assert "If they are on a range of 0 to 1" in of(panel(), "own").continuous["note"]


def test_a_mean_is_a_reference_of_its_own_without_a_ceiling(store, continuous_panel, doc_qa):
    mean(store, doc_qa, [score + 0.5 if score < 3 else 3 for score in ANNOTATOR])
    found = panel(store, doc_qa)
    assert [one.name for one in found.annotators.values()] == ["Ana"]
    assert "mean of several annotators" in message_of(found.uncounted["crowd"])
    row = of(found, "whole", reference="mean")
    assert (row.continuous["mean"], row.n, row.ceiling.n) == ("crowd", 36, 0)
    assert row.statistics["bias"].value == pytest.approx(-0.5 * 3 / 4)
    assert row.ceiling.statistics["exact"].value is None
    assert row.ceiling.why_none.code == "mean_hides_annotators"
    assert of(found, "whole").statistics["exact"].value == 1


def test_with_a_mean_alone_judges_are_compared_with_it(store, sheet, doc_qa, judge, panel):
    judge("whole", dict(enumerate(ANNOTATOR)))
    mean(store, doc_qa, [1.5] * 20 + [2.5] * 16)
    found = panel()
    assert {row.reference for row in rows(found)} == {"mean"}
    text = terminal.text(whole_document.document(agreement.report(found), doc_qa))
    assert "whole has 0.00 Spearman on correctness" in text


def test_every_reader_says_that_it_does_not_apply(store, continuous_panel, doc_qa):
    own = next(one for one in continuous_panel.judges.values() if one.name == "own")
    whole = next(one for one in continuous_panel.judges.values() if one.name == "whole")
    why = "own are continuous numbers, and a choice rests on exact"
    with pytest.raises(Problem, match=why) as refused:
        choice.field(continuous_panel, "correctness", own)
    assert "--against" in str(refused.value) and "--" not in for_screen(refused.value.on_screen)
    left = choice.field(continuous_panel, "correctness", whole).left_out
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
    with pytest.raises(Problem, match=why):
        refuse(found, next(iter(found.judges.values())))


def test_the_whole_report_has_continuous_rows_and_is_written(store, continuous_panel, doc_qa):
    mean(store, doc_qa, [score + 0.5 if score < 3 else 3 for score in ANNOTATOR])
    found = agreement.whole(store, panel(store, doc_qa), by_answer_model=True)
    document = as_json(found)
    assert any(row.get("continuous") for row in document["rows"])
    text = terminal.text(whole_document.document(found, doc_qa))
    assert "Continuous grades" in text


def test_segments_name_the_judges_that_they_leave_out(continuous_panel):
    items = continuous_panel.items["item_id"]
    column = SegmentColumn("team", "team", dict.fromkeys(items.tolist(), "a"))
    found = by_segment(continuous_panel, column, criterion="correctness")
    assert [one["judge"] for one in found["judges"]] == ["whole"]
    assert "own" in found["not_compared"]


def test_a_metric_has_a_row_only_where_it_has_values(store, sheet, doc_qa, judge, panel):
    judge("whole", dict(enumerate(ANNOTATOR)))
    mean(store, doc_qa, [1.5] * 36)
    graders.ensure(store, "metric", "bleu")
    version, bleu = doc_qa.versions()["correctness"], graders.find(store, "metric", "bleu").id
    for n, row in enumerate(store.rows("select id from items order by id")):
        store.insert(
            "grades", item_id=row["id"], version=version, grader_id=bleu, status="scored",
            score=n / 100, created_at="2026-01-01T00:00:00.000Z",
        )  # fmt: skip
    found = rows(panel())
    assert [one.criterion for one in found if one.judge == "bleu"] == ["correctness"]
