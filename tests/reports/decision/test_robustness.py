"""How far a verdict holds: replayed over stored grades under eight other choices."""

import json

from concord.reports.decision import choose
from concord.reports.decision.results import Terms
from concord.reports.panel.named_judge import judge_of
from tests.support.commandline import invoke
from tests.support.panels import give, panel


def verdicts(report) -> dict[str, str]:
    return {one.changed: one.verdict for one in report.analyses}


def test_each_choice_is_one_row_and_of_several_left_out_the_worst_is_named(replayed):
    report = replayed()
    assert [one.changed for one in report.analyses] == [
        "without an annotator (worst: Ana)",
        "without an answering model (worst: atlas)",
        "with a margin of 7.5 points",
        "with a margin of 22.5 points",
        "with the annotators' consensus as the reference",
    ]
    assert report.of == 5
    assert report.same == sum(one.verdict == "good_enough" for one in report.analyses)


def test_the_worst_of_several_says_most_against_the_verdict(store, close_judges, replayed):
    """Ben alone agrees with neither judge, so without Ana nothing can be told."""
    give(store, close_judges, "Ben", {place: (place + 2) % 4 for place in range(120)})
    report = replayed()
    name = next(iter(verdicts(report)))
    assert name == "without an annotator (worst: Ana)"
    assert verdicts(report)[name] != report.verdict


def test_as_decided_is_the_verdict_of_the_look(store, close_judges, replayed):
    found = panel(store, close_judges)
    against = judge_of(store, found, "dear")
    looked = choose.look(store, found, choose.fix(store, found, against, Terms(0.15, 0.6, 0.5)))
    assert replayed().verdict == looked.focus.verdict == "good_enough"


def test_what_turns_a_good_verdict_is_named_with_what_it_turns_to(replayed):
    assert ("with a margin of 7.5 points", "cannot_tell") in {
        (one.changed, one.verdict) for one in replayed().falls
    }


def test_failures_count_as_disagreements_in_one_analysis(store, close_judges, replayed):
    name = "with failures counted as disagreements"
    assert name not in verdicts(replayed())
    give(store, close_judges, "cheap", dict.fromkeys(range(40), None), kind="judge")
    report = replayed()
    assert verdicts(report)[name] == "not"
    assert next(one for one in report.analyses if one.changed == name).answers == 120


def test_grades_of_unknown_blindness_are_left_out_in_one_analysis(store, close_judges, replayed):
    name = "with grades known to be blind only"
    assert name not in verdicts(replayed())
    give(store, close_judges, "Ben", dict.fromkeys(range(0, 120, 2), 3), blind=None)
    give(store, close_judges, "Ana", dict.fromkeys(range(0, 120, 2), 3), blind=None)
    (found,) = (one for one in replayed().analyses if one.changed == name)
    assert found.answers == 60


def test_annotators_who_may_have_copied_a_judge_are_left_out_in_one_analysis(
    store, close_judges, replayed
):
    name = "without suspected copies"
    assert name not in verdicts(replayed())
    found = panel(store, close_judges)
    cheap = found.of("correctness", judge_of(store, found, "cheap").id).score
    give(store, close_judges, "Cid", dict(enumerate(map(int, cheap))))
    assert name in verdicts(replayed())


def test_the_verb_replays_when_asked(store, close_judges):
    terms = ("--against", "dear", "--margin", "0.15", "--minimum", "0.6")
    plain = json.loads(invoke(store.path, "choose", *terms, "--json").stdout)
    asked = json.loads(invoke(store.path, "choose", *terms, "--holds", "--json").stdout)
    assert "holds" not in plain and asked["holds"]["of"] == 5
