"""Faithfulness: supported claims over claims, and what is asked for it."""

import pytest

from concord.metrics.faithfulness import METRIC
from concord.metrics.prompts import unit_kinds
from concord.metrics.prompts.ask import Unreadable
from concord.metrics.prompts.inputs import Undefined
from tests.support.made_items import made_item
from tests.support.scripted_desk import ScriptedDesk, measured

THREE = {"claim": ["Apple was founded in 1976.", "Gates founded it.", "It sits in Texas."]}


def test_what_is_strongly_implied_counts_where_that_is_chosen_and_nothing_is_asked_again():
    desk = ScriptedDesk(units=THREE, labels={"claims-in-contexts": [3, 2, 1]})
    assert measured(METRIC, made_item(1), desk).value == 1 / 3
    assert measured(METRIC, made_item(1), desk, support="lenient").value == 2 / 3
    assert len(desk.asked) == 1


def test_only_the_verdicts_that_did_not_come_back_are_asked_for_again_once():
    desk = ScriptedDesk(units=THREE, labels={"claims-in-contexts": [3, None, 1, 3]})
    assert measured(METRIC, made_item(1), desk).value == 2 / 3
    assert [len(ask.sample["verdicts"]) for ask in desk.asked] == [3, 1]


def said(one, verdict="supported"):
    return {"id": one, "reason": "It is so.", "quote": "", "verdict": verdict}


@pytest.mark.parametrize(
    "bad",
    [
        [said("u2"), said("u2", "contradicted")],
        [said("u2"), said(2, "contradicted")],
        [said("u2"), said("u2", "maybe")],
        [{"id": "u2", "reason": "It is so."}],
        ["u2: supported"],
        [said("u2", "SUPPORTS")],
        [said("u9")],
        [],
    ],
)
def test_a_verdict_that_cannot_be_taken_is_asked_for_again_and_the_others_are_not(bad):
    replies = [{"verdicts": [said("u1"), *bad, said("u3")]}, {"verdicts": [said("u1")]}]
    desk = ScriptedDesk({"claims-in-contexts": replies}, units=THREE)
    assert measured(METRIC, made_item(1), desk).value == 1.0
    assert [len(ask.sample["verdicts"]) for ask in desk.asked] == [3, 1]
    assert "Gates" in desk.asked[1].user and "Texas" not in desk.asked[1].user


@pytest.mark.parametrize(
    ("given", "reason", "quote"),
    [
        (said("U2"), "It is so.", ""),
        (said(2), "It is so.", ""),
        (said("2"), "It is so.", ""),
        (said("u2", "Supported"), "It is so.", ""),
        (said("u2", " SUPPORTED. "), "It is so.", ""),
        ({"id": "u2", "verdict": "supported"}, "", ""),
        ({"id": "u2", "verdict": "supported", "quote": "Gates"}, "", "Gates"),
        ({"id": "u2", "verdict": "supported", "reason": None, "quote": None}, "", ""),
        ({"ID": "u2", "Verdict": "supported", "Reason": "So."}, "So.", ""),
    ],
)
def test_a_verdict_is_taken_as_small_models_write_it(given, reason, quote):
    replies = {"verdicts": [said("u1"), given, said("u3")]}
    desk = ScriptedDesk({"claims-in-contexts": replies}, units=THREE)
    assert measured(METRIC, made_item(1), desk).value == 1.0
    assert len(desk.asked) == 1
    taken = [*desk.said["claims-in-contexts"].values()][1]
    assert (taken.reason, taken.quote) == (reason, quote)


def test_an_identical_repeat_counts_once_and_is_marked():
    twice = [said("u1"), said("u2", "contradicted"), said(2, "Contradicted"), said("u3")]
    desk = ScriptedDesk({"claims-in-contexts": {"verdicts": twice}}, units=THREE)
    assert measured(METRIC, made_item(1), desk).value == 2 / 3


@pytest.mark.parametrize("listed", [["None"], ["none."], ["N/A"], ["No claims."], ["なし", "无"]])
def test_a_word_for_an_empty_list_is_no_claim(listed):
    desk = ScriptedDesk({"claims": {"claims": listed}})
    with pytest.raises(Undefined):
        measured(METRIC, made_item(1), desk)


def test_a_real_claim_beside_such_a_word_is_kept_with_it():
    ask = unit_kinds.claims("ANSWER", "Q?", "A.")
    assert ask.read({"claims": ["None", "It rains."]}) == ["None", "It rains."]
    assert ask.read({"claims": ["No smoking."]}) == ["No smoking."]
    for one in (ask, unit_kinds.of_facts("Q?", "A."), unit_kinds.request("REFERENCE", ["A."])):
        assert "none" not in one.system.lower()


@pytest.mark.parametrize(
    "bad",
    [
        [said("u1"), said("u1", "contradicted")],
        [said("u7")],
        [said("u1", "true")],
        [],
        None,
        "supported",
    ],
)
def test_a_reply_without_any_good_verdict_is_unreadable(bad):
    desk = ScriptedDesk({"claims-in-contexts": {"verdicts": bad}}, units=THREE)
    with pytest.raises(Unreadable):
        measured(METRIC, made_item(1), desk)


def test_verdicts_that_never_come_are_no_number_and_what_came_is_kept():
    desk = ScriptedDesk(units=THREE, labels={"claims-in-contexts": [3, None, None, 3, None]})
    with pytest.raises(Undefined, match="1 of 3"):
        measured(METRIC, made_item(1), desk)
    assert len(desk.said["claims-in-contexts"]) == 2
