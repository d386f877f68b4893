"""What sentences count under a rubric of units, and what they call a criterion."""

import pickle
from dataclasses import replace

import pytest

from concord.language.languages import shown
from concord.messages import message_of
from concord.messages import said as spelt
from concord.metrics.prompts import verdicts
from concord.reports.agreement.bias_tests import finding
from concord.reports.agreement.results import BiasTest
from concord.reports.panel.unit_words import (
    ANSWER,
    heading,
    in_units,
    in_units_throughout,
    of_rubric,
    one,
)
from concord.rubrics.model import presets
from concord.stats.core.estimate import Estimate, reason

ANSWERS = presets()["doc-qa-0-3"]
CLAIMS = verdicts.rubric("claims-in-contexts")
LEAN = BiasTest(
    probe="length",
    judge="J",
    criterion="claim_in_contexts",
    simulated=False,
    n=9,
    questions=3,
    effect=Estimate(0.5, 0.25, 0.75),
    p=0.001,
    significant=True,
    details={"judge_slope": 0.5, "annotator_slope": 0.0},
)


@pytest.mark.parametrize(
    ("name", "singular", "plural"),
    [
        ("claims-in-contexts", "a claim", "claims"),
        ("chunks-for-answer", "a context", "contexts"),
        ("reference-claims-in-answer", "a claim of the reference", "claims of the reference"),
        ("answer-in-contexts", "an answer", "answers"),
    ],
)
def test_a_sentence_about_answers_is_said_of_the_kind_of_units(name, singular, plural):
    rubric = verdicts.rubric(name)
    assert one(rubric) == singular
    why = spelt("under 30 {units}; no answering model", **ANSWER.nouns)
    assert in_units(rubric, why) == f"under 30 {plural}; no answering model"


def test_whole_answers_stay_answers():
    why = reason("no_repeated_answer")
    assert of_rubric(ANSWERS) is None
    assert in_units(ANSWERS, why) == message_of(why) == "no answer was graded twice"
    assert in_units_throughout(ANSWERS, {"why_none": why}) == {"why_none": why}


def test_a_reason_gets_the_noun_of_the_units_and_keeps_its_code():
    why = in_units(CLAIMS, reason("no_repeated_answer"))
    assert (why, why.code) == ("no claim was graded twice", "no_repeated_answer")


def test_reasons_get_their_nouns_throughout_a_report_and_nothing_else_does():
    said = spelt("no {unit}", **ANSWER.nouns)
    found = {"why_none": None, "judge": "answers", "all": [{"qwk": {"why_none": said}}]}
    assert in_units_throughout(CLAIMS, found) == {
        "why_none": None,
        "judge": "answers",
        "all": [{"qwk": {"why_none": "no claim"}}],
    }


def test_a_table_calls_a_criterion_by_its_title_where_it_was_given_one():
    assert heading(CLAIMS, "claim_in_contexts") == "Supported by the contexts"
    assert [heading(ANSWERS, name) for name in ("correctness", "composite")] == [
        "correctness",
        "composite",
    ]


def test_a_judge_that_leans_to_long_claims_is_said_to_go_by_the_length_of_a_claim():
    assert finding(LEAN, CLAIMS) == (
        "J on Supported by the contexts: for each doubling of the length of a claim it gives 0.50 "
        "[0.25, 0.75] points more than annotators do (the judge +0.50, annotators +0.00)."
    )
    unsure = replace(LEAN, significant=False)
    assert "favouring long or short claims" in finding(unsure, CLAIMS)


def test_a_reason_of_units_is_translated_with_their_noun(translate):
    known = {
        "no {unit} was graded twice; {n} answering models": "{n}个作答模型，没有{unit}被评两次",
        "claim": "论断",
    }
    why = spelt("no {unit} was graded twice; {n} answering models", n=2, **ANSWER.nouns)
    named = in_units(CLAIMS, why)
    assert named == "no claim was graded twice; 2 answering models"
    translate("zh", known)
    assert shown(pickle.loads(pickle.dumps(named)), "zh") == "2 个作答模型，没有论断被评两次"
