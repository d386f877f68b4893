"""How far a verdict holds: replayed over stored grades under other choices."""

import json

from concord.reports.decision import choose, robustness
from concord.reports.decision.results import Terms
from concord.reports.decision.robustness import Analysis, Robustness, Turned
from concord.reports.panel.named_judge import judge_of
from tests.support.commandline import invoke
from tests.support.panels import give, panel


def verdicts(report) -> dict[tuple, str]:
    return {tuple(one.changed): one.verdict for one in report.analyses}


def test_every_choice_is_replayed_once_and_annotators_with_answering_models(replayed):
    report = replayed()
    found = verdicts(report)
    assert report.of == len(report.analyses) == len(found)
    assert set(found) == {
        (),
        ("without the answers of atlas",),
        ("without the answers of birch",),
        ("without Ana",),
        ("without Ana", "without the answers of atlas"),
        ("without Ana", "without the answers of birch"),
        ("without Ben",),
        ("without Ben", "without the answers of atlas"),
        ("without Ben", "without the answers of birch"),
        ("with the annotators' consensus as the reference",),
        ("with a margin of 7.5 points",),
        ("with a margin of 22.5 points",),
        ("decided on comprehensiveness",),
        ("decided on readability",),
    }


def test_as_decided_is_the_verdict_of_the_look(store, close_judges, replayed):
    found = panel(store, close_judges)
    against = judge_of(store, found, "dear")
    looked = choose.look(store, found, choose.fix(store, found, against, Terms(0.15, 0.6, 0.5)))
    cheap = looked.focus
    assert replayed().verdict == cheap.verdict == "good_enough"


def test_what_turns_a_good_verdict_is_named_with_what_it_turns_to(replayed):
    report = replayed()
    assert report.same == sum(one.verdict == "good_enough" for one in report.analyses)
    assert Turned("with a margin of 7.5 points", "cannot_tell") in report.falls
    shown = robustness.document(report)
    assert shown.headline == (
        f"“Good enough” in {report.same} of 14 sensitivity analyses; “not good enough” in 0."
    )
    lines = {row[:2] for row in shown.tables[0].rows}
    assert ("with a margin of 7.5 points", "inconclusive") in lines


def test_failures_count_as_disagreements_in_one_analysis(store, close_judges, replayed):
    without = verdicts(replayed())
    name = "with failures counted as disagreements"
    assert (name,) not in without
    give(store, close_judges, "cheap", dict.fromkeys(range(40), None), kind="judge")
    report = replayed()
    assert verdicts(report)[name,] == "not"
    counted = next(one for one in report.analyses if one.changed == (name,))
    assert counted.answers == 120


def test_a_verdict_that_always_holds_says_only_so():
    report = Robustness("cheap", "not", 1, 1, (), (Analysis((), "not", 1, 1),))
    assert robustness.document(report).headline == (
        "“Not good enough” in 1 of 1 sensitivity analyses; “good enough” in 0."
    )


def test_the_verb_replays_when_asked(store, close_judges):
    terms = ("--against", "dear", "--margin", "0.15", "--minimum", "0.6")
    plain = json.loads(invoke(store.path, "choose", *terms, "--json").stdout)
    asked = json.loads(invoke(store.path, "choose", *terms, "--holds", "--json").stdout)
    assert "holds" not in plain and asked["holds"]["of"] == 14


def test_a_judge_with_continuous_numbers_is_no_other_reference(store, close_judges, replayed):
    give(store, close_judges, "smooth", {place: 1.25 for place in range(20)}, kind="judge")
    found = verdicts(replayed())
    assert ("with cheap as the reference judge",) not in found
    assert not any("smooth" in change for changes in found for change in changes)
