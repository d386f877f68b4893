"""What was computed for a large sheet is there for the next process, and never an old one's."""

import shutil

import pytest
import streamlit as st

from concord.reports.panel.panel_reading import read
from concord.reports.panel.reference_standard import CONSENSUS, EACH
from concord.store import annotator_states, graders, items, sheets
from concord.store.database import open_store
from concord.store.grades import Press, record
from concord.store.rubrics import rubric_versions
from concord.ui import cached_reports
from concord.ui.cached_reports import Report
from concord.ui.screens.agreement.cached_agreement import every_row, of_criterion
from tests.support.alike import differ
from tests.support.panels import give, judge


def _another_process():
    st.cache_data.clear()
    st.cache_resource.clear()


@pytest.mark.parametrize("name", ["sample", "unequal", "units"])
def test_another_process_gets_what_would_be_computed(large, computed, golden, tmp_path, name):
    with open_store(shutil.copy(golden(name), tmp_path / "concord.db")) as store:
        sheet = sheets.all_sheets(store)[0]
        graded = rubric_versions.graded(store, sheet.id)
        for rubric in [*graded, *rubric_versions.units_graded(store, sheet.id)]:
            _check_next_process(store, sheet, rubric_versions.named(store, rubric)[1], computed)


def test_means_and_continuous_numbers_come_back_too(large, computed, store, compared, doc_qa):
    judge(store, doc_qa, "fractions", {n: n / 7 for n in range(20)})
    crowd = graders.ensure(store, "person", "crowd", definition={"mean": True})
    version, ids = doc_qa.versions()["correctness"], items.item_ids(store, compared.id)
    record(store, [Press(ids[n], version, crowd, score=n / 9) for n in range(9)])
    _check_next_process(store, compared, doc_qa, computed)


def _check_next_process(store, sheet, rubric, computed):
    panel = read(store, sheet, rubric)
    for kind in (EACH, CONSENSUS):
        expected = every_row(Report(store, sheet, rubric), kind)
        _another_process()
        computed.clear()
        report = Report(store, sheet, rubric)
        assert differ(panel, report.panel) == []
        assert differ(expected, every_row(report, kind)) == []
        assert computed == []


def test_rows_are_of_the_annotators_who_are_included(large, store, compared, doc_qa):
    ana, counts = graders.named(store, "person", "Ana").id, []
    for state in ("included", "excluded", "included"):
        annotator_states.decide(store, compared.id, ana, state, "Lea", "a test")
        counts.append(every_row(Report(store, compared, doc_qa), EACH)[0].n)
        _another_process()
    assert counts == [12, 8, 12]


def test_the_best_judge_is_of_the_heaviest_criterion_whatever_was_read_last(
    calls, store, compared, doc_qa
):
    judge(store, doc_qa, "other", {n: 0 for n in range(30)})
    judge(store, doc_qa, "other", {n: n % 4 for n in range(12)}, criterion="readability")
    give(store, doc_qa, "Ana", {n: n % 4 for n in range(12)}, "readability")
    report = Report(store, compared, doc_qa, by_criterion=True)
    report.on("readability")
    assert report.headline().criterion == "correctness"
    assert report.best() == Report(store, compared, doc_qa).best()


def test_another_process_reads_again_after_a_grade(large, computed, store, compared, doc_qa):
    Report(store, compared, doc_qa)
    _another_process()
    give(store, doc_qa, "Ana", {20: 1})
    assert of_criterion(Report(store, compared, doc_qa), EACH, "correctness")[0].n == 13
    assert computed == ["panel", "panel", "rows"]


def test_what_may_be_of_two_states_is_not_kept(large, monkeypatch, store, compared, doc_qa):
    """Somebody writes while it is computed."""

    def late(*arguments, **named):
        found = read(*arguments, **named)
        graders.ensure(store, "person", "new")
        return found

    monkeypatch.setattr(cached_reports, "read", late)
    Report(store, compared, doc_qa)
    assert [*store.results.iterdir()] == []
