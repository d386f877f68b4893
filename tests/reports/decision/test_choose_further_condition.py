"""A further condition is an entry with its test and one with its words, and nothing else."""

from concord.reports.cells import shown
from concord.reports.decision import document
from concord.reports.panel import decision_conditions
from concord.reports.panel.decision_conditions import CONDITIONS, ConditionWords
from concord.reports.planning import power_document
from concord.stats.decision import conditions
from concord.stats.decision.conditions import REQUIREMENTS, Requirement, one_figure
from concord.stats.decision.deciding_figure import FIGURES
from tests.support.panels import give, judge
from tests.support.reports.choices import chosen, off, row

EXACT_99 = ConditionWords(
    "exact_99",
    "exact agreement above 99%",
    "share",
    fails="it is not exact",
    open="it may not be exact",
    no_power="no judge is that exact",
)


def test_a_further_condition_is_tested_shown_and_named_as_the_reason(
    store, doc_qa, scores, monkeypatch
):
    test = Requirement("exact_99", lambda grades, _: one_figure(grades, FIGURES["exact"], 0.99))
    monkeypatch.setattr(conditions, "REQUIREMENTS", (*REQUIREMENTS, test))
    monkeypatch.setitem(decision_conditions.BY_KEY, "exact_99", EXACT_99)
    give(store, doc_qa, "Ana", scores)
    judge(store, doc_qa, "dear", off(scores, 20))
    judge(store, doc_qa, "cheap", off(scores, 20, 5))
    found = chosen(store, doc_qa)
    cheap = row(found, "cheap")
    assert cheap.verdict == "not" and cheap.why == ("it is not exact",)
    assert cheap.conditions["exact_99"].state == "fails"
    table = shown(document.conditions(found, "cheap"))
    (line,) = (cells for cells in table[1] if cells[0] == "exact agreement above 99%")
    assert {"99%", "fail"} <= {*line}


def test_every_condition_that_is_tested_has_its_words():
    assert {one.key for one in REQUIREMENTS} <= {one.key for one in CONDITIONS}
    words = decision_conditions.BY_KEY
    for one in REQUIREMENTS:
        assert words[one.key].title and power_document.BLOCKED[one.key]
        assert bool(words[one.key].fails) == (one.role != "gate"), one.key
        assert bool(words[one.key].open) == (one.role != "veto"), one.key
