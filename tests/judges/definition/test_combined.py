"""The file of a combined judge: its keys, what is refused by name, and a frozen fit."""

import pytest

from concord.judges.definition import combined
from concord.judges.definition.combined import CriterionFit, frozen, question_digest
from concord.judges.definition.model import Judge, from_body, parse
from concord.judges.definition.toml import as_toml
from concord.messages import Problem

FILE = """
name = "jury"
kind = "combined"
rubric = "doc-qa-0-3"
members = ["a", "b"]
rule = "ordinal"
"""
FIT = frozen(
    {
        "is short": CriterionFit(
            version="v1",
            features=("a", "b: “x”@v2"),
            weights=(0.1 + 0.2, -1e-7),
            points=(0.5, 1.25),
            scores=(0, 1, 3),
            answers=30,
            clusters=10,
        )
    },
    ("q1", question_digest("q2", "doc")),
)


def jury(**changes):
    keys = {"kind": "combined", "rubric": "doc-qa-0-3", "members": ("a", "b"), "rule": "ordinal"}
    return Judge(name="jury", **keys | changes)


def test_a_file_names_members_and_a_rule():
    judge = parse(FILE, "jury.toml")
    assert (judge.members, judge.rule, judge.fit) == (("a", "b"), "ordinal", None)
    assert parse(as_toml(judge), "again.toml").body() == judge.body()


def test_a_frozen_fit_is_read_back_exactly():
    judge = jury(fit=FIT)
    assert parse(as_toml(judge), "frozen.toml").fit == FIT == from_body(judge.body()).fit


@pytest.mark.parametrize(
    ("more", "fault"),
    [
        ('model = "m"', "model: a combined judge sends no request"),
        ('prompt = "few_shot"', "prompt: a combined judge"),
        ("temperature = 0", "temperature: a combined judge"),
        ("price = 0", "price: a combined judge"),
        ('[endpoint]\nbase_url = "http://localhost:1"', "endpoint: a combined judge"),
        ("weights = [1]", "weights — unknown key"),
    ],
)
def test_what_a_combined_judge_does_not_take_is_refused_by_name(more, fault):
    with pytest.raises(Problem, match=fault):
        parse(FILE + more, "jury.toml")


@pytest.mark.parametrize(
    ("changes", "fault"),
    [
        ({"rubric": None}, "rubric: name the rubric"),
        ({"rule": None}, "rule: name one of majority, mean, weighted, ordinal, cut_points"),
        ({"rule": "median"}, "rule"),
        ({"members": None}, "members: name the judges"),
        ({"members": ()}, "members: name the judges"),
        ({"members": ("a", "a")}, "members: name the judges"),
        ({"members": ("a", "jury")}, "members: name the judges"),
        ({"members": ("a",), "rule": "mean"}, "members: mean takes at least two"),
        ({"rule": "cut_points"}, "members: cut_points reads the probabilities of one judge"),
        ({"rule": "mean", "fit": FIT}, "fit: mean is not fitted"),
    ],
)
def test_what_is_missing_or_contradicts_is_refused_by_name(changes, fault):
    with pytest.raises(ValueError, match=fault):
        jury(**changes)


def test_only_a_combined_judge_has_members():
    with pytest.raises(ValueError, match="members: only a combined judge has it"):
        Judge(name="a", model="m", rubric="r", members=("a", "b"))


def test_a_changed_number_of_a_frozen_fit_is_refused():
    text = as_toml(jury(fit=FIT))
    assert "1.25" in text
    with pytest.raises(Problem):
        parse(text.replace("1.25", "1.5"), "frozen.toml")


def test_a_feature_without_a_weight_is_refused():
    with pytest.raises(ValueError, match="a feature has one weight"):
        CriterionFit(**FIT.criteria["is short"].model_dump() | {"weights": (1.0,)})


def test_every_rule_has_words():
    assert [*combined.WORDS] == [*combined.RULES]
