"""The list of judges."""

import pytest

from concord.judges.definition.model import parse, presets
from concord.judges.run import judging as session
from concord.judges.run.job import Options
from concord.messages import Problem
from concord.reports.agreement.agreement import best
from concord.reports.workflow import judges
from concord.reports.workflow.judges import Entry
from concord.reports.workflow.runs import NEVER, Counts, State
from concord.store import graders, grades
from concord.store.grades import Press
from tests.support.fakejudge import Fake, run_rubric
from tests.support.panels import ATLAS, BIRCH, COBALT

OWN = """name = "mine"
model = "gpt-4o"
rubric = "doc-qa-0-3"
"""


def listed(store, sheet):
    return judges.entries(store, sheet, judges.agreements(store, sheet))


def by_judge(found, column):
    table = judges.table(found)
    place = [one.title for one in table.columns].index(column)
    return {row[0]: row[place] for row in table.rows}


def test_the_agreement_is_that_of_the_headline_and_comes_with_its_number_of_answers(
    store, sheet, give, judge, panel
):
    give("Ana", {ATLAS: 0, BIRCH: 2})
    judge("near", {ATLAS: 0, BIRCH: 2, COBALT: 1})
    judge("far", {ATLAS: 3})
    found = listed(store, sheet)
    assert by_judge(found, "exact [95% CI]")["near"] == best(panel()).exact
    assert by_judge(found, "exact [95% CI]")["far"].value == 0
    assert [by_judge(found, "n")[name] for name in ("near", "far", "vera")] == [2, 1, None]


def test_a_stored_judge_of_an_unknown_kind_is_a_row_and_cannot_be_run(store, sheet, judge):
    judge("near", {ATLAS: 0})
    near = graders.find(store, "judge", "near")
    of_later = {"judge": {"name": "near", "kind": "telepath", "feelers": 2}}
    graders.define(store, near.id, of_later)
    (row,) = [one for one in listed(store, sheet) if one.grader and one.grader.name == "near"]
    assert (row.judge, row.state.phase) == (None, "never")
    with pytest.raises(Problem):
        session.judge(store, "near", Options(sheet_name=sheet.name), lambda _: True)


def test_ones_own_judges_come_first_then_imported_then_baseline_and_metrics_then_those_not_run():
    mine, shipped = parse(OWN, "mine.toml"), presets()
    done, failed = State("done", Counts(done=2)), State("failed", Counts())
    entries = [
        Entry("baseline", shipped["baseline"], None, done),
        Entry("vera", shipped["vera"], None, NEVER),
        Entry("waits", mine, None, NEVER, own=True),
        Entry("computed", shipped["computed"], None, done),
        Entry("imported", None, None, NEVER),
        Entry("failed", mine, None, failed, own=True),
        Entry("ran", mine, None, done, own=True),
        Entry("gpt-6-luna-zero-shot", shipped["gpt-6-luna-zero-shot"], None, done),
    ]
    names = [one.argument for one in judges.in_order(entries)]
    assert {*names[:4]} == {"waits", "failed", "ran", "gpt-6-luna-zero-shot"}
    assert names[4:] == ["baseline", "computed", "imported", "vera"]


def save(store, text, folder):
    path = folder / "judge.toml"
    path.write_text(text)
    job = session.prepare(store, str(path), Options())
    job.register(store)
    return job


def test_two_of_the_same_name_are_told_apart_by_what_differs_in_their_files(store, sheet, tmp_path):
    assert "differs in" not in [one.title for one in judges.table(listed(store, sheet)).columns]
    cold = save(store, OWN + "temperature = 0\n", tmp_path)
    warm = save(store, OWN + "[endpoint]\nbase_url = 'http://gpu.lan/v1'\n", tmp_path)
    told = by_judge(listed(store, sheet), "differs in")
    assert told[f"mine@{cold.fingerprint[:6]}"] == (
        "endpoint.base_url = https://api.openai.com/v1, temperature = 0.0"
    )
    assert told[f"mine@{warm.fingerprint[:6]}"] == (
        "endpoint.base_url = http://gpu.lan/v1, temperature = default"
    )
    assert told["vera"] == ""


def test_a_shipped_judge_that_never_ran_makes_no_name_ambiguous(store, sheet, doc_qa):
    imported = graders.ensure(store, "judge", "vera", "f" * 16)
    grades.record(store, [Press(1, doc_qa.versions()["correctness"], imported, score=1)])
    mine, shipped = (one for one in listed(store, sheet) if one.name() == "vera")
    assert (mine.label(), mine.differs) == ("vera", "") and shipped.differs


def test_price_status_and_last_run_are_those_of_the_sheet(store, sheet):
    job = session.prepare(store, "gpt-6-luna-zero-shot", Options(limit=3))
    run_rubric(store, job, Fake())
    found = listed(store, sheet)
    (mine,) = [one for one in found if one.argument == "gpt-6-luna-zero-shot"]
    assert by_judge(found, "per 1,000")[mine.argument] == mine.cost.per_1000 > 0
    assert by_judge(found, "last run")[mine.argument] == mine.last_run[:10]
    assert by_judge(found, "status")[mine.argument] == "3 done"
    assert by_judge(found, "status")["gpt-4-zero-shot"].endswith("not run")
