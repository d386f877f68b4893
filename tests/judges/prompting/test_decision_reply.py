"""Replies of decision models, good and bad: what each is worth."""

import json
import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from concord.judges.definition.model import READINGS
from concord.judges.prompting.decision_reply import score, verdicts_of
from concord.model import NATIVE, Distribution
from concord.stats.probabilities import reading
from tests.support.judges.decisions import (
    NAMES,
    decision_judge,
    openai_answer,
    systemone_answer,
)

SCALE = (0, 1, 2, 3)
GOOD = [0.04, 0.06, 0.3, 0.6]


def reply(dialect, first=GOOD, second=GOOD, **more):
    """A whole reply on two criteria; None leaves an answer out."""
    both = {"correctness": first, "tone": second}
    if dialect == "openai":
        made = [openai_answer(n, p) for n, p in both.items() if p is not None]
    else:
        made = {n: systemone_answer(p) for n, p in both.items() if p is not None}
    return {"model": "m", "answers": made, **more}


def read(dialect, found, scale=SCALE, more="", names=NAMES):
    return verdicts_of(decision_judge(dialect, more=more), found, names, scale)


def spoiled(dialect, spoil):
    """The verdicts in a reply whose first answer was changed."""
    found = reply(dialect)
    spoil(found["answers"][0 if dialect == "openai" else "correctness"])
    return read(dialect, json.dumps(found))


@pytest.mark.parametrize("dialect", ["openai", "systemone"])
def test_each_criterion_gets_a_score_and_the_probabilities_as_returned(dialect):
    found = read(dialect, json.dumps(reply(dialect, GOOD, [0.9, 0.1, 0, 0])))
    assert [(v.status, v.score) for v in found.values()] == [("scored", 2), ("scored", 0)]
    pairs = ((0.0, 0.04), (1.0, 0.06), (2.0, 0.3), (3.0, 0.6))
    assert found["correctness"].distribution == Distribution(NATIVE, pairs, None)


@pytest.mark.parametrize("dialect", ["openai", "systemone"])
@pytest.mark.parametrize(
    "given", [[0.25, 0.25, 0.25, 0.2301], [0.26, 0.26, 0.25, 0.249], [1, 0, 0, 0], [0, 0, 0, 1.0]]
)
def test_rounded_probabilities_are_taken_and_kept_raw(dialect, given):
    found = read(dialect, json.dumps(reply(dialect, given)))["correctness"]
    assert found.status == "scored"
    assert [p for _, p in found.distribution.probabilities] == given


@pytest.mark.parametrize("dialect", ["openai", "systemone"])
@pytest.mark.parametrize(
    ("scale", "given", "wanted"),
    [
        ((1, 2, 3, 4, 5), [0.1, 0.1, 0.1, 0.1, 0.6], 4),
        ((-1, 0, 1), [0.8, 0.1, 0.1], -1),
        (tuple(range(11)), [0.0] * 9 + [0.2, 0.8], 10),
        ((0, 1, 3), [0.0, 0.1, 0.9], 3),
    ],
)
def test_the_level_index_is_mapped_back_to_the_score(dialect, scale, given, wanted):
    if dialect == "openai":
        answers = [openai_answer("correctness", given, scale)]
    else:
        answers = {"correctness": systemone_answer(given)}
    found = read(dialect, {"answers": answers}, scale, names=["correctness"])["correctness"]
    assert found.score == wanted
    assert [s for s, _ in found.distribution.probabilities] == [float(s) for s in scale]


@pytest.mark.parametrize(
    ("rule", "given", "wanted"),
    [
        ("rounded_mean", [0.4, 0.0, 0.0, 0.6], 2),
        ("argmax", [0.4, 0.0, 0.0, 0.6], 3),
        ("median", [0.4, 0.2, 0.0, 0.4], 1),
        # Of two that are equally good, the lower one.
        ("rounded_mean", [0.5, 0.5, 0.0, 0.0], 0),
        ("argmax", [0.0, 0.4, 0.4, 0.2], 1),
        ("median", [0.5, 0.0, 0.0, 0.5], 0),
    ],
)
def test_the_score_is_read_by_the_rule_of_the_judge(rule, given, wanted):
    found = read("openai", reply("openai", given), more=f'reading = "{rule}"')
    assert found["correctness"].score == wanted


def test_the_default_rule_is_the_rounded_mean():
    assert read("openai", reply("openai", [0.4, 0, 0, 0.6]))["correctness"].score == 2


FAULTS = [
    ([0.5, 0.5, 0.5, 0.5], "add up to 2.000"),
    ([0.25, 0.25, 0.25, 0.22], "add up to 0.970"),
    ([0.3, 0.3, 0.3, 0.13], "add up to 1.030"),
    ([0, 0, 0, 0], "add up to 0.000"),
    ([-0.1, 0.5, 0.3, 0.3], "-0.1 is not a probability"),
    ([1.01, 0, 0, 0], "1.01 is not a probability"),
    ([None, 0.4, 0.3, 0.3], "null is not a probability"),
    (["0.1", 0.3, 0.3, 0.3], "0.1 is not a probability"),
    ([True, 0, 0, 0], "true is not a probability"),
    ([[], 0.4, 0.3, 0.3], "[] is not a probability"),
    ([float("nan"), 0.4, 0.3, 0.3], "NaN is not JSON"),
    ([float("inf"), 0.4, 0.3, 0.3], "Infinity is not JSON"),
]


@pytest.mark.parametrize("dialect", ["openai", "systemone"])
@pytest.mark.parametrize(("given", "why"), FAULTS)
def test_probabilities_that_are_none_make_the_answer_unparsable(dialect, given, why):
    found = read(dialect, json.dumps(reply(dialect, given)))
    assert found["correctness"].status == "unparsable" and why in found["correctness"].why
    assert found["correctness"].distribution is None
    # What is no JSON leaves nothing to read; any other fault is the criterion's own.
    assert found["tone"].status == ("unparsable" if "JSON" in why else "scored")


@pytest.mark.parametrize("levels", [2, 4, 10])
def test_rounding_to_two_decimals_makes_no_reply_unparsable(levels):
    chance = random.Random(1)
    for _ in range(1000):
        parts = [chance.expovariate(1) for _ in range(levels)]
        given = [round(one / sum(parts), 2) for one in parts]
        answers = {"correctness": systemone_answer(given)}
        found = read("systemone", {"answers": answers}, range(levels), names=["correctness"])
        assert found["correctness"].status == "scored", given
    answers = {"correctness": systemone_answer([0.094] * 10)}
    found = read("systemone", {"answers": answers}, range(10), names=["correctness"])
    assert found["correctness"].status == "unparsable"


@pytest.mark.parametrize("dialect", ["openai", "systemone"])
def test_decoded_json_is_held_to_the_same(dialect):
    found = read(dialect, reply(dialect, [float("nan"), 0.4, 0.3, 0.3]))
    assert [v.status for v in found.values()] == ["unparsable", "scored"]


def _drop_level(answer):
    given = answer["probabilities"]
    del given[1 if isinstance(given, list) else "1"]


def _extra_level(answer):
    given = answer["probabilities"]
    if isinstance(given, list):
        given.append({"value": 4, "label": "4", "probability": 0.0})
    else:
        given["4"] = 0.0


def _key(**values):
    return lambda answer: answer.update(values)


@pytest.mark.parametrize("dialect", ["openai", "systemone"])
@pytest.mark.parametrize(
    ("spoil", "why"),
    [
        (_drop_level, "level 1 has no probability"),
        (_extra_level, "4 is not a level"),
        (_key(probabilities=None), "no probabilities"),
        (_key(probabilities="0.1 0.9"), "no probabilities"),
        (_key(probabilities=[]), "probabilit"),
        (_key(probabilities={}), "probabilit"),
        (_key(type="choice"), "is not a score"),
        (_key(type="unheard-of"), "is not a score"),
        (_key(type=None), "is not a score"),
    ],
)
def test_an_answer_in_another_form_is_unparsable_alone(dialect, spoil, why):
    found = spoiled(dialect, spoil)
    assert found["correctness"].status == "unparsable" and why in found["correctness"].why
    assert found["tone"].status == "scored"


@pytest.mark.parametrize(
    ("level", "change", "why"),
    [
        (1, {"value": 0}, "level 0 occurs twice"),
        (1, {"value": -1}, "-1 is not a level"),
        (1, {"value": 1.0}, "1.0 is not a level"),
        (1, {"value": "1"}, "1 is not a level"),
        (1, {"value": True}, "true is not a level"),
        (1, {"label": "2"}, "label 2"),
        (1, {"label": None}, "label null"),
        (1, {"probability": None}, "null is not a probability"),
    ],
)
def test_a_level_of_openai_has_its_index_its_label_and_a_probability(level, change, why):
    def spoil(answer):
        answer["probabilities"][level].update(change)

    found = spoiled("openai", spoil)["correctness"]
    assert found.status == "unparsable" and why in found.why


@pytest.mark.parametrize("key", ["01", " 1", "1.0", "one", "-1", "١"])
def test_a_level_of_system_one_has_its_index_as_key(key):
    def spoil(answer):
        answer["probabilities"][key] = answer["probabilities"].pop("1")

    found = spoiled("systemone", spoil)["correctness"]
    assert found.status == "unparsable"


@pytest.mark.parametrize(
    "text",
    ['"probabilities": {"0": 0.2, "0": 0.2, "1": 0.8}', '"probabilities": {}, "probabilities": {}'],
)
def test_a_key_given_twice_makes_the_whole_reply_unparsable(text):
    found = read("systemone", f'{{"answers": {{"correctness": {{"type": "score", {text}}}}}}}')
    assert {(v.status, v.why) for v in found.values()} == {
        ("unparsable", "The JSON gives a key twice.")
    }


@pytest.mark.parametrize("dialect", ["openai", "systemone"])
def test_a_missing_answer_leaves_the_others_their_scores(dialect):
    for first, second in ((None, GOOD), (GOOD, None)):
        found = read(dialect, reply(dialect, first, second))
        statuses = ["unparsable" if p is None else "scored" for p in (first, second)]
        assert [v.status for v in found.values()] == statuses


@pytest.mark.parametrize(
    "names",
    [
        ["tone", "correctness"],
        ["correctness", "correctness"],
        ["correctness", "tone", "tone"],
        ["correctness", "style"],
        ["correctness", None],
        ["correctness", 7],
        ["Correctness", "tone"],
    ],
)
def test_answers_of_openai_in_another_order_or_under_another_name_are_all_unparsable(names):
    found = read("openai", {"answers": [openai_answer(name, GOOD) for name in names]})
    assert {v.status for v in found.values()} == {"unparsable"}


def test_names_that_system_one_was_not_asked_are_ignored():
    found = reply("systemone")
    found["answers"]["style"] = {"type": "noul", "noul": 0.3}
    assert {v.status for v in read("systemone", found).values()} == {"scored"}


@pytest.mark.parametrize("dialect", ["openai", "systemone"])
def test_a_refused_question_is_refused_alone(dialect):
    def spoil(answer):
        name = {"name": answer["name"]} if "name" in answer else {}
        answer.clear()
        answer.update({"type": "refusal", **name})

    found = spoiled(dialect, spoil)
    assert [v.status for v in found.values()] == ["refused", "scored"]


@pytest.mark.parametrize(
    ("label_mass", "outside"), [(0.97, 0.03), (1, 0.0), (1.0000001, 0.0), (0, 1.0), (None, None)]
)
def test_what_is_no_label_is_kept_as_the_mass_outside_the_scale(label_mass, outside):
    more = {"diagnostics": {"correctness": {"label_mass": label_mass, "argmax_is_label": True}}}
    found = read("systemone", reply("systemone", **more))
    assert found["correctness"].distribution.outside == pytest.approx(outside)
    assert found["tone"].distribution.outside is None


@pytest.mark.parametrize("mass", [-0.1, 1.2, "0.9", True])
def test_a_label_mass_that_is_no_probability_makes_the_answer_unparsable(mass):
    more = {"diagnostics": {"correctness": {"label_mass": mass}}}
    found = read("systemone", reply("systemone", **more))
    assert [v.status for v in found.values()] == ["unparsable", "scored"]


@pytest.mark.parametrize("dialect", ["openai", "systemone"])
@pytest.mark.parametrize(
    ("found", "why"),
    [
        ("", "not JSON"),
        ("busy", "not JSON"),
        ("[" * 100_000, "not JSON"),
        ("9" * 5000, "not JSON"),
        ("[]", "not a JSON object"),
        ("null", "not a JSON object"),
        ("{}", "no answers"),
        ('{"answers": null}', "no answers"),
        ('{"answers": []}', "no answers"),
        ('{"answers": {}}', "no answers"),
        ('{"answers": "3"}', "no answers"),
        ('{"error": {"message": "overloaded"}}', "reports an error"),
        ('{"error": "x", "answers": [1]}', "reports an error: x"),
        (" " * 2_000_001, "longer than 2,000,000"),
    ],
)
def test_a_reply_without_answers_is_unparsable(dialect, found, why):
    verdicts = read(dialect, found)
    assert {v.status for v in verdicts.values()} == {"unparsable"}
    assert why in verdicts["tone"].why


def test_the_formats_do_not_pass_for_one_another():
    assert read("openai", reply("systemone"))["tone"].status == "unparsable"
    assert read("systemone", reply("openai"))["tone"].status == "unparsable"


@given(
    st.lists(st.integers(0, 20), min_size=2, max_size=11).filter(any),
    st.sampled_from(READINGS),
    st.integers(-1, 1),
    st.integers(1, 3),
)
def test_the_score_is_that_of_the_report_s_rules(counts, rule, first, step):
    shares = [count / sum(counts) for count in counts]
    scale = tuple(range(first, first + step * len(shares), step))
    assert score(rule, shares, scale) == reading.read(rule, [shares], scale)[0]


_JSON = st.recursive(
    st.none() | st.booleans() | st.floats() | st.integers() | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(["answers", "type", "score", "name", "probabilities", "0", "tone"]),
            inner,
            max_size=4,
        )
    ),
    max_leaves=12,
)


@given(_JSON, st.sampled_from(["openai", "systemone"]))
def test_whatever_comes_is_a_verdict_for_each_criterion(found, dialect):
    verdicts = read(dialect, {"answers": found})
    assert list(verdicts) == NAMES
    assert {v.status for v in verdicts.values()} <= {"scored", "refused", "unparsable"}
