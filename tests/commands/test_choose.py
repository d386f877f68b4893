"""The verb `choose`: its contract, its exit codes, and terms fixed without a look."""

import json

import pytest

CAREFUL = ("choose", "--against", "simulated-careful-judge")


def test_fixing_looks_at_nothing_and_a_look_later_keeps_when_it_was_fixed(sampled):
    fixed = json.loads(sampled(*CAREFUL, "--fix", "--json").stdout)["decision"]
    assert "judges" not in fixed and fixed["fixed_after_sight"]
    assert fixed["figure"] == "exact" and "failure_recall" in fixed
    found = json.loads(sampled(*CAREFUL, "--json").stdout)
    assert found["fixed_at"] == fixed["created_at"] and found["decision"]["id"] == fixed["id"]


def test_a_condition_written_in_two_ways_is_one_decision(sampled):
    ways = ("0.1", ".10")
    made = [
        json.loads(sampled(*CAREFUL, "--margin", one, "--fix", "--json").stdout) for one in ways
    ]
    assert [one["decision"]["id"] for one in made] == [1, 1]


def test_without_a_reference_judge_those_that_could_be_one_are_named(sampled):
    told = sampled("choose", code=2).stderr
    assert "Usage" not in told
    assert "simulated-careful-judge, simulated-lenient-judge" in told
    assert "baseline" not in told


@pytest.mark.parametrize(("answer", "fixed"), [("n\n", 0), ("y\n", 1)])
def test_at_a_terminal_new_terms_are_shown_and_confirmed(sampled, monkeypatch, answer, fixed):
    for module in ("frame", "choose"):
        monkeypatch.setattr(f"concord.commands.{module}.at_a_terminal", lambda: True)
    found = sampled(*CAREFUL, "--fix", given=answer)
    assert "simulated-careful-judge" in found.stderr and "10 points" in found.stderr
    assert "separate judges" not in found.stderr
    sampled(*CAREFUL, "--fix", "--figure", "within_one", "--margin", "0.5", given="n\n")
    if fixed:  # the same terms are fixed already, and nothing is asked
        assert "become final" not in sampled(*CAREFUL, "--fix", given="").stderr
