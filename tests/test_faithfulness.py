"""Faithfulness: supported claims over claims, and what is asked for it."""

import pytest

from conftest import made_item
from metrics.faithfulness import MEASURE
from metrics.frame.hand import Unmeasured
from scripted_desk import ScriptedDesk, measured

THREE = {"claim": ["Apple was founded in 1976.", "Gates founded it.", "It sits in Texas."]}


def test_one_supported_claim_of_three_is_a_third():
    desk = ScriptedDesk(units=THREE, labels={"claims-in-contexts": [3, 0, 1]})
    outcome = measured(MEASURE, made_item(1), desk)
    assert outcome.value == 1 / 3
    assert (outcome.units, outcome.reason) == (3, "1 of 3 claims are supported.")
    assert outcome.parts["contradicted"] == 1 / 3


def test_what_is_strongly_implied_counts_where_that_is_chosen_and_nothing_is_asked_again():
    desk = ScriptedDesk(units=THREE, labels={"claims-in-contexts": [3, 2, 1]})
    assert measured(MEASURE, made_item(1), desk).value == 1 / 3
    assert measured(MEASURE, made_item(1), desk, support="lenient").value == 2 / 3
    assert len(desk.asked) == 1


def test_only_the_verdicts_that_did_not_come_back_are_asked_for_again_once():
    desk = ScriptedDesk(units=THREE, labels={"claims-in-contexts": [3, None, 1, 3]})
    assert measured(MEASURE, made_item(1), desk).value == 2 / 3
    assert [len(ask.sample["verdicts"]) for ask in desk.asked] == [3, 1]


def test_verdicts_that_never_come_are_no_number_and_what_came_is_kept():
    desk = ScriptedDesk(units=THREE, labels={"claims-in-contexts": [3, None, None, 3, None]})
    with pytest.raises(Unmeasured, match=r"1 of 3 units got no verdict\."):
        measured(MEASURE, made_item(1), desk)
    assert len(desk.said["claims-in-contexts"]) == 2


def test_an_answer_without_claims_has_no_faithfulness():
    with pytest.raises(Unmeasured, match="claims nothing"):
        measured(MEASURE, made_item(1), ScriptedDesk(units={"claim": []}))
