import pytest

from concord.reports.agreement.findings import detail, of_row, title

REASON = "under 10 questions there is no interval"


def figure(value, low=None, high=None, why_none=None):
    return {"value": value, "low": low, "high": high, "method": "", "why_none": why_none}


def row(**changes):
    """The example of the handbook: GPT-4 beside two people on 240 answers."""
    made = {
        "judge": "gpt-4-zero-shot",
        "criterion": "correctness",
        "reference": "each",
        "answer_model": None,
        "n": 240,
        "people": 2,
        "simulated": False,
        "simulated_people": [],
        "floor": False,
        "note": None,
        "without_consensus": None,
        "exact": figure(0.83, 0.77, 0.88),
        "within_one": figure(0.96, 0.92, 0.98),
        "off_by_two": figure(0.04, 0.02, 0.08),
        "mae": figure(0.25, 0.2, 0.3),
        "bias": figure(-0.05, -0.1, 0.0),
        "ceiling": {"n": 240, "exact": figure(0.86, 0.8, 0.9), "mae": figure(0.2)},
        "worst_case": {"failed": 0, "exact": figure(0.83, 0.77, 0.88)},
        "majority_baseline": {
            "score": 3,
            "exact": 0.7,
            "within_one": 0.8,
            "best_within_one": 0.9,
            "best_within_one_score": 2,
        },
    }
    return made | changes


UNKNOWN = {"n": 0, "exact": figure(None), "mae": figure(None)}

TITLES = {
    "several people": (
        {},
        "gpt-4-zero-shot gives a person's exact correctness score on 83% [77, 88] of 240 answers; "
        "people give one another's on 86%; always answering 3 would give 70%.",
    ),
    "one person": (
        {"people": 1, "ceiling": UNKNOWN},
        "gpt-4-zero-shot gives the person's exact correctness score on 83% [77, 88] of 240 "
        "answers; how well people agree with one another is unknown; always answering 3 would give "
        "70%.",
    ),
    "a smaller overlap": (
        {"ceiling": {"n": 60, "exact": figure(0.86), "mae": figure(0.2)}},
        "gpt-4-zero-shot gives a person's exact correctness score on 83% [77, 88] of 240 answers; "
        "people give one another's on 86% of the 60 answers that two or more graded; always "
        "answering 3 would give 70%.",
    ),
    "consensus": (
        {"reference": "consensus"},
        "gpt-4-zero-shot gives the exact correctness score of people's consensus on 83% [77, 88] "
        "of 240 answers; people give the others' consensus on 86%; always answering 3 would give "
        "70%.",
    ),
    "one answer": (
        {"n": 1, "people": 1, "exact": figure(1.0, why_none=REASON), "ceiling": UNKNOWN},
        "gpt-4-zero-shot gives the person's exact correctness score on 100% of 1 answer; how well "
        "people agree with one another is unknown; always answering 3 would give 70%.",
    ),
    "of one model": (
        {"answer_model": "atlas", "n": 80},
        "gpt-4-zero-shot gives a person's exact correctness score on 83% [77, 88] of 80 answers by "
        "atlas; people give one another's on 86%; always answering 3 would give 70%.",
    ),
    "simulated": (
        {"judge": "careful", "simulated": True},
        "careful (simulated) gives a person's exact correctness score on 83% [77, 88] of 240 "
        "answers; people give one another's on 86%; always answering 3 would give 70%.",
    ),
    "simulated by name": (
        {"judge": "simulated-judge", "simulated": True, "n": 0},
        "simulated-judge and people have no correctness score for the same answer, so nothing can "
        "be compared.",
    ),
    "the floor": (
        {"judge": "baseline", "floor": True},
        "The floor, baseline, gives a person's exact correctness score on 83% [77, 88] of 240 "
        "answers; people give one another's on 86%; always answering 3 would give 70%.",
    ),
    "the composite": (
        {"criterion": "composite"},
        "gpt-4-zero-shot is 0.25 [0.20, 0.30] points away from a person's weighted mean on 240 "
        "answers on average, with a bias of -0.05 [-0.10, +0.00]; people are 0.20 points apart.",
    ),
    "the composite of one person": (
        {"criterion": "composite", "people": 1, "ceiling": UNKNOWN},
        "gpt-4-zero-shot is 0.25 [0.20, 0.30] points away from the person's weighted mean on 240 "
        "answers on average, with a bias of -0.05 [-0.10, +0.00]; how far people are apart is "
        "unknown.",
    ),
    "no composite": (
        {"criterion": "composite", "n": 0},
        "gpt-4-zero-shot and people have no composite for the same answer, so nothing can be "
        "compared.",
    ),
    "nearly always": (
        {"exact": figure(0.997, 0.96, 0.9999)},
        "gpt-4-zero-shot gives a person's exact correctness score on >99% [96, >99] of 240 "
        "answers; people give one another's on 86%; always answering 3 would give 70%.",
    ),
}


@pytest.mark.parametrize(("changes", "said"), TITLES.values(), ids=TITLES)
def test_the_title_says_the_finding(changes, said):
    assert title(row(**changes)) == said


WITHIN = (
    "Within one point on 96% [92, 98], off by two or more on 4%; always answering 2 would be "
    "within one on 90%."
)
DETAILS = {
    "within one is never alone": ({}, WITHIN),
    "what the judge left unscored": (
        {"worst_case": {"failed": 12, "exact": figure(0.79, 0.73, 0.84)}},
        f"{WITHIN} With the 12 answers it left unscored as disagreements: exact on 79% [73, 84].",
    ),
    "no interval": (
        {"exact": figure(0.83, why_none=REASON)},
        f"{WITHIN} {REASON[0].upper()}{REASON[1:]}.",
    ),
    "some people are simulated": (
        {"people": 3, "simulated_people": ["a", "b"]},
        f"{WITHIN} 2 of the 3 people are simulated.",
    ),
    "one of them is": (
        {"people": 3, "simulated_people": ["a"]},
        f"{WITHIN} 1 of the 3 people is simulated.",
    ),
    "all are": (
        {"simulated_people": ["a", "b"]},
        f"{WITHIN} All of the people are simulated.",
    ),
    "the only one is": (
        {"people": 1, "simulated_people": ["a"]},
        f"{WITHIN} The person is simulated.",
    ),
    "one without consensus": (
        {"reference": "consensus", "without_consensus": {"n": 1, "share": 0.1}},
        f"{WITHIN} 1 answer (10% of those people scored) without a consensus is left out.",
    ),
    "several without consensus": (
        {"reference": "consensus", "without_consensus": {"n": 12, "share": 0.05}},
        f"{WITHIN} 12 answers (5% of those people scored) without a consensus are left out.",
    ),
    "a warning": ({"note": "This sheet cannot."}, f"{WITHIN} This sheet cannot."),
    "a composite has none": ({"criterion": "composite"}, ""),
    "nothing to compare": ({"n": 0, "people": 0}, ""),
}


@pytest.mark.parametrize(("changes", "said"), DETAILS.values(), ids=DETAILS)
def test_the_detail_says_what_the_title_leaves_out(changes, said):
    assert detail(row(**changes)) == said


def test_the_whole_is_title_and_detail():
    assert of_row(row()) == f"{title(row())} {WITHIN}"
    composite = row(criterion="composite")
    assert of_row(composite) == title(composite)
