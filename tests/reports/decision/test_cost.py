"""What a judge costs and how long it takes, from its replies."""

import pytest

from concord.judges.definition import stated_price
from concord.messages import message_of
from concord.reports.decision.cost import NO_PRICE, NOT_STATED, cost, dollars
from concord.store import graders

FREE = '{"model": "m", "input": "0", "output": "0"}'
PAID = '{"model": "m", "input": "2", "output": "8"}'


def test_the_cost_of_an_answer_counts_every_part_and_every_asking_again(
    store, sheet, run_judge, reply
):
    reply(0, 0.001, 1.0, "correctness", status="unparsable")
    reply(0, 0.001, 2.0, "correctness", attempt=2)
    reply(0, 0.002, 3.0, "readability")
    reply(1, 0.002, 2.0, "correctness")
    found = cost(store, sheet, run_judge)
    assert found.per_1000 == pytest.approx(1000 * (0.004 + 0.002) / 2)
    assert found.seconds == pytest.approx((6 + 2) / 2)


def test_repeats_are_not_what_production_pays(store, sheet, run_judge, reply):
    reply(0, 0.001)
    reply(0, 0.001, repeat=2)
    assert cost(store, sheet, run_judge).per_1000 == pytest.approx(1.0)


def test_an_unknown_price_is_unknown_and_never_nothing(store, sheet, run_judge, reply):
    reply(0, None, price=PAID)
    found = cost(store, sheet, run_judge)
    assert found.per_1000 is None and found.why_none == NO_PRICE


def test_answers_without_a_price_are_counted_and_leave_the_others_theirs(
    store, sheet, run_judge, reply
):
    reply(0, 0.003)
    reply(1, None)
    found = cost(store, sheet, run_judge)
    assert found.per_1000 == pytest.approx(3.0)


def test_a_server_that_is_known_to_be_free_costs_nothing_even_without_token_counts(
    store, sheet, run_judge, reply
):
    reply(0, None, price=FREE)
    reply(1, 0.0, price=FREE)
    found = cost(store, sheet, run_judge)
    assert found.per_1000 == 0


def test_transport_failures_cost_nothing_and_are_no_answers(store, sheet, run_judge, reply):
    reply(0, None, None, status="failed")
    reply(0, 0.001, 2.0, attempt=2)
    reply(1, None, None, status="failed")
    found = cost(store, sheet, run_judge)
    assert (found.per_1000, found.seconds) == (pytest.approx(1.0), 2.0)


def test_grades_from_a_file_have_no_known_cost(store, sheet, run_judge):
    found = cost(store, sheet, run_judge)
    assert found.why_none == NOT_STATED
    assert "graders --price" in message_of(found.why_none)


def test_a_stated_price_counts_where_nothing_was_measured_and_says_so(store, sheet, run_judge):
    stated_price.state(store, "gpt", "2.5", "command line")
    found = cost(store, sheet, graders.get(store, run_judge.id))
    assert (found.per_1000, found.why_none) == (2.5, None)
    stated_price.state(store, "gpt", "none", "command line")
    assert cost(store, sheet, graders.get(store, run_judge.id)).why_none == NOT_STATED


def test_the_simulated_judges_have_invented_prices_that_say_so(store, sheet):
    for name in ("simulated-careful-judge", "simulated-lenient-judge"):
        judge = graders.get(store, graders.ensure(store, "judge", name, simulated=True))
        found = cost(store, sheet, judge)
        assert found.simulated and found.per_1000 > 0 and found.seconds > 0


@pytest.mark.parametrize(
    ("value", "said"), [(0, "$0.00"), (0.0123, "$0.012"), (0.5, "$0.50"), (1234.5, "$1,234.50")]
)
def test_small_amounts_keep_two_figures(value, said):
    assert dollars(value) == said


def test_a_combined_judge_costs_what_its_members_do(store, sheet, run_judge, reply):
    reply(0, 0.003)
    graders.ensure(store, "judge", "ours")
    stated_price.state(store, "ours", "2.5", "test")
    of = {"members": [run_judge.label(), "ours"]}
    jury = graders.get(store, graders.ensure(store, "judge", "jury", "f" * 16, of))
    found = cost(store, sheet, jury)
    assert found.per_1000 == pytest.approx(3.0 + 2.5) and found.stated_on


def test_the_price_of_a_combined_judge_is_unknown_if_that_of_a_member_is(
    store, sheet, run_judge, reply
):
    reply(0, 0.003)
    graders.ensure(store, "judge", "ours")
    of = {"members": [run_judge.label(), "ours"]}
    jury = graders.get(store, graders.ensure(store, "judge", "jury", "f" * 16, of))
    found = cost(store, sheet, jury)
    assert found.per_1000 is None
