"""A panel with the grades of one criterion says the same about it as one with all."""

import shutil

import pytest

from concord.reports.agreement import headline, rows
from concord.reports.panel.panel_reading import read
from concord.reports.panel.reference_standard import CONSENSUS, EACH
from concord.store import items, sheets
from concord.store.database import open_store
from concord.store.grades import Press, record
from concord.store.rubrics import rubric_versions
from tests.support.alike import differ
from tests.support.panels import ATLAS, BIRCH, COBALT, give, judge

PEOPLE = ("persons", "annotators", "judges", "labels", "uncounted", "means", "graded_by")


@pytest.mark.parametrize("name", ["sample", "simulated", "unequal", "units"])
def test_it_gives_the_figures_of_the_whole_panel(golden, tmp_path, name):
    with open_store(shutil.copy(golden(name), tmp_path / "concord.db")) as store:
        sheet = sheets.all_sheets(store)[0]
        graded = rubric_versions.graded(store, sheet.id)
        for rubric in [*graded, *rubric_versions.units_graded(store, sheet.id)]:
            _check(store, sheet, rubric_versions.named(store, rubric)[1])


def _check(store, sheet, rubric):
    whole = read(store, sheet, rubric)
    for criterion in (one.name for one in rubric.criteria):
        alone = read(store, sheet, rubric, only=criterion)
        for about in PEOPLE:
            assert differ(getattr(whole, about), getattr(alone, about), about) == []
        for kind in (EACH, CONSENSUS):
            expected = rows.rows(whole, kind, [criterion])
            assert differ(expected, rows.rows(alone, kind, [criterion])) == []
        if criterion == rubric.heaviest().name:
            assert differ(headline.best(whole), headline.best(alone)) == []


def test_grades_that_were_not_read_are_not_taken_for_none(store, sheet, doc_qa):
    ana = give(store, doc_qa, "Ana", {ATLAS: 3}, "readability")
    alone = read(store, sheet, doc_qa, only="correctness")
    assert not alone.of("correctness", ana).scored.any()
    for asked in (alone.of, alone.is_continuous):
        for criterion in ("readability", "composite"):
            with pytest.raises(KeyError, match="Only the grades of correctness were read"):
                asked(criterion, ana)


def test_who_graded_is_told_of_all_criteria(store, sheet, doc_qa):
    """Also who counts: a real annotator takes the place of simulated ones on every criterion."""
    give(store, doc_qa, "simulated", {ATLAS: 3})
    give(store, doc_qa, "Ana", {ATLAS: 3}, "readability")
    judge(store, doc_qa, "gpt", {BIRCH: 2}, criterion="readability")
    alone = read(store, sheet, doc_qa, only="correctness")
    assert [one.name for one in alone.annotators.values()] == ["Ana"]
    assert [one.name for one in alone.graded_by] == ["Ana"]
    assert [*alone.uncounted] == ["simulated"]
    assert [*alone.labels.values()] == ["gpt"]


def test_who_took_every_grade_back_did_not_grade(store, sheet, doc_qa):
    ana = give(store, doc_qa, "Ana", {ATLAS: 3, COBALT: 1})
    give(store, doc_qa, "Ben", {ATLAS: 3}, repeat=2)
    ids, version = items.item_ids(store, sheet.id), doc_qa.versions()["correctness"]
    record(store, [Press(ids[place], version, ana, "withdrawn") for place in (ATLAS, COBALT)])
    for only in (None, "correctness"):
        assert read(store, sheet, doc_qa, only=only).persons == {}
