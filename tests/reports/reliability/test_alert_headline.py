"""The headline over the cards is true when read alone: it says whose agreement is not tested."""

from dataclasses import replace

import pytest

from concord.reports.reliability.alert_headline import detail, headline
from concord.reports.reliability.annotator_cards import AnnotatorCard, SetProgress
from concord.reports.reliability.annotator_signals import AnnotatorSignals, Signal
from concord.reports.reliability.testable_agreement import Enough

ENOUGH, NEVER = Enough(True, False), Enough(False, False)


def card(*tests: Signal, testable=ENOUGH):
    count = sum(one.p is not None for one in tests)
    return AnnotatorCard("A", 1, False, (), AnnotatorSignals(tests, count), None, 0, testable)


AGREES = Signal("exact", "correctness", 40, 0.8, 0.8, 0.5, False)
FEW = Signal("exact", "correctness", 2, 0.5, None, None, False)
READ = Signal("speed", None, 20, 0.0, 0.1, 1.0, False)
RUSHED = Signal("speed", None, 20, 1.0, 0.1, 0.0, True)

TESTED = card(AGREES)
EARLY = card(FEW, READ)
APART = card(FEW, READ, testable=NEVER)
EVE = card(FEW, RUSHED, testable=NEVER)
IMPORTED = card(FEW, testable=None)
NOT_BEGUN = card(testable=NEVER)
PAUSED = "2026-11-01T09:00:00"


@pytest.mark.parametrize(
    ("found", "raised", "expected"),
    [
        ([TESTED] * 5, [], "No annotator has an alert"),
        (
            [TESTED] * 3 + [APART] * 2,
            [],
            "No annotator has an alert; agreement of 2 of 5 annotators cannot be tested",
        ),
        (
            [TESTED, EARLY, NOT_BEGUN],
            [],
            "No annotator has an alert; agreement of 2 of 3 annotators is not tested",
        ),
        ([EARLY, APART], [], "Agreement is not tested yet; no annotator has an alert"),
        ([APART] * 2, [], "Agreement cannot be tested; no annotator has an alert"),
        ([NOT_BEGUN] * 2, [], "Agreement cannot be tested; no alert can be computed yet"),
        ([IMPORTED], [], "No alert can be computed yet"),  # simulated ones, too, have no set
        ([], [], "No alert can be computed yet"),
        (
            [TESTED] * 3 + [EVE],
            ["Eve"],
            "Annotators with an alert: Eve; agreement of 1 of 4 annotators cannot be tested",
        ),
        ([APART, EVE], ["Eve"], "Annotators with an alert: Eve; agreement cannot be tested"),
        (
            [APART, replace(EVE, paused=PAUSED)],
            [],
            "Agreement cannot be tested; no annotator who still grades has an alert",
        ),
    ],
)
def test_it_says_whose_agreement_is_not_tested(found, raised, expected):
    assert headline(found, raised) == expected


def test_who_has_no_grade_and_none_to_give_is_not_waited_for():
    paused, removed = replace(NOT_BEGUN, paused=PAUSED), card(testable=None)
    assert headline([TESTED, paused, removed], []) == "No annotator has an alert"


def test_an_untested_annotator_who_was_removed_does_not_count():
    gone = SetProgress("main", 2, 2, None, True, None)
    removed = replace(APART, progress=(gone,), testable=None)
    assert headline([TESTED, removed], []) == "No annotator has an alert"
    elsewhere = replace(APART, progress=(gone, replace(gone, removed=False)))
    assert headline([TESTED, elsewhere], []).endswith("of 1 of 2 annotators cannot be tested")


def test_how_many_can_never_be_tested_is_below_a_headline_about_all_who_are_not():
    never = "Agreement of 1 of 3 annotators cannot be tested. An alert is a reason to read"
    assert detail([TESTED, EARLY, APART]).startswith(never)
    assert detail([TESTED, APART]).startswith("An alert is")  # the headline says it
    assert detail([IMPORTED, NOT_BEGUN]).startswith(
        "Agreement of 1 of 2 annotators cannot be tested. Alerts need grades to compare"
    )
