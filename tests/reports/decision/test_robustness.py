"""How far a verdict holds: replayed over stored grades under eight other choices."""

from concord.reports.panel.choice import judge_of
from tests.support.panels import give, panel


def verdicts(report) -> dict[str, str]:
    return {one["changed"]: one["verdict"] for one in report.analyses}


def test_each_choice_is_one_row_and_of_several_left_out_the_worst_is_named(replayed):
    report = replayed()
    assert report.of == 5
    assert report.same == sum(one["verdict"] == "good_enough" for one in report.analyses)


def test_the_worst_of_several_says_most_against_the_verdict(store, close_judges, replayed):
    """Ben alone agrees with neither judge, so without Ana nothing can be told."""
    give(store, close_judges, "Ben", {place: (place + 2) % 4 for place in range(120)})
    report = replayed()
    name = next(iter(verdicts(report)))
    assert verdicts(report)[name] != report.verdict


def test_failures_count_as_disagreements_in_one_analysis(store, close_judges, replayed):
    name = "failures as disagreements"
    assert name not in verdicts(replayed())
    give(store, close_judges, "cheap", dict.fromkeys(range(40), None), kind="judge")
    report = replayed()
    assert verdicts(report)[name] == "not"
    assert next(one for one in report.analyses if one["changed"] == name)["answers"] == 120


def test_grades_of_unknown_blindness_are_left_out_in_one_analysis(store, close_judges, replayed):
    name = "grades known to be blind only"
    assert name not in verdicts(replayed())
    give(store, close_judges, "Ben", dict.fromkeys(range(0, 120, 2), 3), blind=None)
    give(store, close_judges, "Ana", dict.fromkeys(range(0, 120, 2), 3), blind=None)
    (found,) = (one for one in replayed().analyses if one["changed"] == name)
    assert found["answers"] == 60


def test_annotators_who_may_have_copied_a_judge_are_left_out_in_one_analysis(
    store, close_judges, replayed
):
    name = "without suspected copies"
    assert name not in verdicts(replayed())
    found = panel(store, close_judges)
    cheap = found.of("correctness", judge_of(store, found, "cheap").id).score
    give(store, close_judges, "Cid", dict(enumerate(map(int, cheap))))
    assert name in verdicts(replayed())
