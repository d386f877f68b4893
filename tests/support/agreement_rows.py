"""Rows of the agreement report as a test wants them, without a store.

Orders of answering models, written by hand.
"""

from concord.reports.agreement.agreement import AgreementRow, Ceiling
from concord.stats.agreement.coefficients import VerdictCounts
from concord.stats.baselines import KEYS as IN_BASELINE
from concord.stats.core.estimate import Estimate, Statistics
from concord.stats.statistics import KEYS, counts


def figure(value, low=None, high=None, why_none=None) -> Estimate:
    """An estimate that may lack its interval."""
    return Estimate(value, low, high, why_none=why_none)


def statistics(value=None, why_none=None, **changes) -> Statistics:
    """Every statistic with one value, but for those named."""
    found = dict.fromkeys(KEYS, figure(value, why_none=why_none)) | changes
    return Statistics(found, counts(VerdictCounts(45, 195, 50)))


def ceiling(n=200, found=None, why_none=None) -> Ceiling:
    """Annotators with one another on n answers."""
    found = statistics(0.8) if found is None else found
    return Ceiling(n, 2, 60, 60, found, statistics(0.7), why_none)


def row(judge="gpt", found=None, **changes) -> AgreementRow:
    """A judge on 240 answers that two annotators graded."""
    made = {
        "answer_model": None,
        **{"sheet": "s", "rubric": "r", "judge": judge, "criterion": "correctness"},
        **{"reference": "each", "n": 240, "annotators": 2, "questions": 80, "clusters": 80},
        **{"left_out": {}, "alt_test": (), "fingerprint": ""},
        **{"simulated": judge.startswith("sim"), "floor": judge == "baseline"},
        "simulated_annotators": (),
        "statistics": statistics(0.75) if found is None else found,
        "ceiling": ceiling(),
        "worst_case": {"failed": 0, "exact": figure(0.4)},
        "majority_baseline": dict.fromkeys(IN_BASELINE)
        | {"why_none": None, "score": 3, "exact": 0.7, "within_one": 0.8, "failure_recall": 0.0}
        | {"best_within_one": 0.91, "best_within_one_score": 2, "bias": 0.6, "qwk": 0.0}
        | {"judge": {"state": "clear", "difference": figure(0.05)}}
        | {"annotators": {"state": "clear", "difference": figure(0.1)}},
    }
    return AgreementRow(**made | changes)


SAME = {"atlas": (2.9, 2.8), "birch": (2.0, 2.1), "cobalt": (1.0, 1.5)}


def mean(value, low=None, high=None):
    """A mean with its interval, if any."""
    return Estimate(value, low, high)


def order(models, swaps=(), judge="gpt-4", **changes):
    """An order; `models` is {name: (by annotators, by the judge)}."""
    parts = {
        "judge": judge,
        "fingerprint": "",
        "simulated": judge.startswith("sim"),
        "result": "same",
        **{"level": 0, "one_sided": 0, "too_few": 0},
        "swaps": [swap(*pair) for pair in swaps],
        "models": [
            {"answer_model": name, "annotators": mean(annotators), "judge": mean(own)}
            for name, (annotators, own) in models.items()
        ],
        "n": 60,
        "questions": 20,
    }
    return parts | changes


def swap(higher, lower, annotator_share, judge_share):
    """A pair that the judge ranks the other way round than annotators."""
    certain = annotator_share is not None and annotator_share >= 0.95 and judge_share <= 0.05
    keys = "higher", "lower", "annotator_share", "judge_share", "certain"
    return dict(zip(keys, (higher, lower, annotator_share, judge_share, certain), strict=True))
