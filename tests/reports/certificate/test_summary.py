"""The summary of a certificate."""

import re
from dataclasses import replace

import pytest

from concord.reports.certificate import certification
from concord.reports.certificate.certificate import Named
from concord.reports.certificate.document import page, summary, title
from concord.reports.panel.named_judge import judge_of
from tests.support.panels import give, judge, panel


def test_judges_that_share_a_name_are_told_apart_among_those_tried(store, close_judges):
    found = panel(store, close_judges)
    one = certification.certify(store, found, judge_of(store, found, "cheap"))
    twins = (Named("mine", "a" * 16), Named("mine", "b" * 16), Named("dear", "c" * 16))
    rows = summary(replace(one, tried=twins)).rows
    assert ("Judges tried", "3: mine@aaaaaa, mine@bbbbbb, dear") in rows
    mine = replace(one, tried=twins, judge=replace(one.judge, name="mine", fingerprint="b" * 16))
    assert title(mine) == "Calibration record of mine@bbbbbb"
    assert title(replace(mine, tried=twins[1:])) == "Calibration record of mine"


def test_lines_break_before_an_interval_and_not_in_it(store, close_judges):
    found = panel(store, close_judges)
    shown = page(certification.certify(store, found, judge_of(store, found, "cheap")))
    ends = re.findall(r"\[[+−]?\d[\d.]*,(.)[+−]?\d[\d.]*\]", shown)
    assert len(ends) > 20 and {*ends} == {"\N{NO-BREAK SPACE}"}


def test_an_alert_has_the_minus_sign_of_other_figures(store, decided):
    found = panel(store, decided)
    one = certification.certify(store, found, judge_of(store, found, "cheap"))
    alert = {
        "sentence": "Ann-2: not above chance (QWK -0.05 [-0.20, 0.10], n = 40).",
        "annotator": "",
    }
    look = replace(one.decision.look, alerts=(alert,))
    shown = page(replace(one, decision=replace(one.decision, look=look)))
    assert "Ann-2: not above chance (QWK −0.05 [−0.20,\N{NO-BREAK SPACE}0.10], n = 40)." in shown


@pytest.mark.parametrize(
    ("people", "judges", "lacks"),
    [
        (["Ana"], ["cheap"], None),
        (["Ana"], ["cheap", "sim-judge"], None),
        (["Ana", "sim-ben"], ["cheap", "sim-judge"], "annotators"),
        (["Ana"], ["sim-judge"], "judge"),
        (["sim-ben"], ["sim-judge"], "everything"),
        (["sim-ben"], [], None),
    ],
)
def test_nothing_simulated_is_certified(store, close_judges, people, judges, lacks):
    store.execute("delete from grades")
    for name in people:
        give(store, close_judges, name, {0: 1, 1: 2})
    for name in judges:
        judge(store, close_judges, name, {0: 1, 1: 2})
    found = certification.impossible(panel(store, close_judges, *people))
    assert (found and found.lacks) == lacks
