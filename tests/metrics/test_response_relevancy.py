"""Response relevancy: cosines, guesses that find the answer avoiding, and how many there are."""

import asyncio

import pytest

from concord import metrics
from concord.metrics.prompts.inputs import Inputs, Undefined
from tests.support.made_items import made_item
from tests.support.scripted_desk import ScriptedDesk, measured

ITEM = made_item(1)
METRIC = metrics.named("response_relevancy")


def relevancy(flags, cosines=(0.9, 0.8, 0.7), clear=(True,) * 3, **switches):
    guesses = [
        {"question": f"Q{n}?", "clear": c, "noncommittal": bool(f)}
        for n, (f, c) in enumerate(zip(flags, clear, strict=True))
    ]
    vectors = {f"Q{n}?": [c, (1 - c * c) ** 0.5] for n, c in enumerate(cosines)}
    desk = ScriptedDesk(
        {"questions": {"questions": guesses}}, vectors=vectors | {ITEM.question: [1, 0]}
    )
    return measured(METRIC, ITEM, desk, **switches)


def test_one_avoiding_guess_of_three_counts_by_the_policy_that_is_chosen():
    assert relevancy([1, 0, 0], noncommittal="any").value == 0
    assert relevancy([1, 0, 0], noncommittal="all").value == pytest.approx(0.8)
    found = relevancy([1, 0, 0])
    assert found.value == pytest.approx(0.8) and found.parts["any"] == 0
    assert found.flags == ("noncommittal",)


def test_unclear_guesses_are_dropped_where_that_is_chosen():
    kept = relevancy([0, 0, 0], clear=(True, False, True))
    dropped = relevancy([0, 0, 0], clear=(True, False, True), unclear="dropped")
    assert kept.value == pytest.approx(0.8) and dropped.value == pytest.approx(0.8)
    assert (kept.units, dropped.units) == (3, 2)
    assert relevancy([0, 0, 0], clear=(False,) * 3, unclear="dropped").units == 3


def test_the_first_questions_count_where_more_come_than_were_asked_for():
    more = relevancy([0, 0, 0, 1], (0.9, 0.8, 0.7, 0.1), (True,) * 4)
    assert more.value == pytest.approx(0.8)
    assert (more.units, more.flags) == (3, ("more questions",))
    assert relevancy([0, 0], (0.9, 0.5), (True,) * 2).flags == ("fewer questions",)
    of_two = relevancy([0, 0], (0.9, 0.5), (True,) * 2, questions="2")
    assert of_two.value == pytest.approx(0.7) and not of_two.flags


def test_whether_an_answer_avoids_is_a_verdict_that_annotators_can_give_too():
    guess = {"question": "Q?", "clear": True}
    said = {"questions": [guess | {"noncommittal": n < 2} for n in range(3)]}
    desk = ScriptedDesk({"questions": said}, vectors={"Q?": [1, 0], ITEM.question: [1, 0]})
    assert measured(METRIC, ITEM, desk, noncommittal="never").value == 1
    [verdict] = desk.said["answer-commits"].values()
    assert verdict.score == 0
    assert [ask.name for ask in desk.asked] == ["questions"]
    by_person = Inputs(ITEM, desk, METRIC.chosen({}), by_labels=True)
    with pytest.raises(Undefined):
        asyncio.run(METRIC.metric(ITEM, by_person))
