"""The history of decisions: every term of each, and every look."""

from concord.reports.cells import shown
from concord.reports.decision import choose, looks
from concord.reports.decision.document import condition_title
from concord.reports.decision.results import Terms
from concord.reports.decision.terms import rows_of as document_terms
from concord.reports.panel.named_judge import judge_of
from concord.store import decisions
from tests.support.panels import panel


def rows(table):
    heads, lines = shown(table)
    return [dict(zip(heads, line, strict=True)) for line in lines]


def test_every_decision_has_its_terms_and_its_looks(store, close_judges):
    made = panel(store, close_judges)
    against = judge_of(store, made, "dear")
    first = choose.fix(store, made, against, Terms(0.15, 0.6, 0.5))
    choose.look(store, made, first)
    other = choose.fix(store, made, against, Terms(0.3, 0.5, 0, figure="mae"))
    choose.look(store, made, other)
    every = decisions.of_sheet(store, made.sheet.id)
    terms = [(r["figure"], r["margin"], r["limit"]) for r in rows(looks.fixed(every, made))]
    assert terms == [
        ("exact agreement", "15 points", "60%"),
        ("mean distance (MAE)", "0.3", "0.5"),
    ]
    looked = [(r["decision"], r["verdict"]) for r in rows(looks.looks(store, every))]
    assert looked == [(first.id, "good enough"), (other.id, "good enough, exploratory")]


def test_the_limit_of_a_distance_is_a_maximum(store, close_judges):
    made = panel(store, close_judges)
    terms = Terms(0.3, 0.5, 0, figure="mae")
    decision = choose.fix(store, made, judge_of(store, made, "dear"), terms)
    found = choose.look(store, made, decision)
    assert dict(document_terms(decision))["maximum"] == "mean distance (MAE) at most 0.5"
    assert condition_title(found, "minimum") == "mean distance (MAE): maximum"


def test_the_history_names_the_annotators_of_each_decision(store, close_judges):
    made = panel(store, close_judges)
    choose.fix(store, made.choosing(["Ana"]), judge_of(store, made, "dear"), Terms(0.15, 0.6, 0.5))
    (row,) = rows(looks.fixed(decisions.of_sheet(store, made.sheet.id), made))
    assert row["annotators"] == "Ana"
