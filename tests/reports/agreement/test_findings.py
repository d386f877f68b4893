from dataclasses import replace

import pytest

from concord.reports.agreement.findings import finding
from concord.reports.agreement.results import WithoutConsensus, WorstCase
from tests.support.agreement_rows import ceiling, figure, row, statistics

EXACT = statistics(0.5, exact=figure(0.83, 0.77, 0.88))
ANNOTATORS = ceiling(240, statistics(0.86))
UNKNOWN = ceiling(0, statistics(None, "no answer was graded by two annotators"))
CLAIMS = {"unit": "claim", "plural": "claims", "title": "Supported", "labels": {}}
SHARED = "(inter-annotator agreement 86%, majority-class baseline 70%)"

HEADLINES = {
    "several annotators": (
        {},
        f"gpt agrees exactly with annotators on correctness for 83% [77, 88] of 240 answers "
        f"{SHARED}",
    ),
    "one annotator": (
        {"annotators": 1, "ceiling": UNKNOWN},
        "gpt agrees exactly with annotators on correctness for 83% [77, 88] of 240 answers "
        "(inter-annotator agreement unknown, majority-class baseline 70%)",
    ),
    "consensus": (
        {"reference": "consensus"},
        "gpt agrees exactly with the annotators' consensus on correctness for 83% [77, 88] of 240 "
        f"answers {SHARED}",
    ),
    "units": (
        {"units": CLAIMS, "criterion": "claim_in_contexts"},
        f"gpt agrees exactly with annotators on “Supported” for 83% [77, 88] of 240 claims "
        f"{SHARED}",
    ),
    "simulated": (
        {"judge": "careful", "simulated": True},
        "careful (simulated) agrees exactly with annotators on correctness for 83% [77, 88] of 240 "
        f"answers {SHARED}",
    ),
    "nothing to compare": (
        {"n": 0, "units": CLAIMS},
        "gpt and the annotators have graded “Supported” for no claim in common, so there is "
        "nothing to compare",
    ),
}


@pytest.mark.parametrize(("changes", "said"), HEADLINES.values(), ids=HEADLINES)
def test_the_headline_is_exact_agreement_with_what_it_is_compared_with(changes, said):
    assert finding(row(found=EXACT, **{"ceiling": ANNOTATORS} | changes)).headline == said


WORST = WorstCase(240, 12, 0, {"exact": figure(0.79, 0.73, 0.84)})
FACTS = {
    "nothing more": ({}, []),
    "what the judge left unscored": (
        {"worst_case": WORST},
        ["With 12 answers left unscored counted as errors, exact agreement is 79% [73, 84]."],
    ),
    "a smaller overlap": (
        {"ceiling": ceiling(60)},
        ["Inter-annotator agreement is that on the 60 answers that two or more annotators graded."],
    ),
    "without consensus": (
        {"without_consensus": WithoutConsensus(1, 0.1)},
        ["Left out without a consensus: 1 answer (10% of those that annotators scored)."],
    ),
    "some are simulated": (
        {"annotators": 3, "simulated_annotators": ("a", "b")},
        ["2 of the 3 annotators are simulated."],
    ),
    "a warning": ({"note": "This sheet cannot."}, ["This sheet cannot."]),
    "nothing to compare": ({"n": 0, "annotators": 0}, []),
}


@pytest.mark.parametrize(("changes", "facts"), FACTS.values(), ids=FACTS)
def test_the_facts_say_what_limits_the_headline(changes, facts):
    assert [
        one
        for one in finding(replace(row(found=EXACT, ceiling=ANNOTATORS), **changes)).facts
        if one
    ] == facts
