"""Orders of answering models, written by hand."""

from concord.reports.ranking.order import ModelMeans, Order, Step, Swap
from concord.stats.core.estimate import Estimate

SAME = {"atlas": (2.9, 2.8), "birch": (2.0, 2.1), "cobalt": (1.0, 1.5)}


def mean(value, low=None, high=None):
    """A mean with its interval, if any."""
    return Estimate(value, low, high)


def order(models, swaps=(), judge="gpt-4", sure=(1.0, 1.0), **changes):
    """An order; `models` is {name: (by annotators, by the judge)}.

    `sure` is the share of resamples behind every pair of neighbours, by annotators and the judge.
    """
    parts = {
        "judge": judge,
        "fingerprint": "",
        "simulated": judge.startswith("sim"),
        **dict.fromkeys(("tau_b", "tau_b_low", "tau_b_high")),
        "tau_b_method": "",
        "why_none": "under 5",
        "swaps": tuple(swap(*pair) for pair in swaps),
        "models": tuple(
            ModelMeans(name, mean(annotators), mean(own))
            for name, (annotators, own) in models.items()
        ),
        "neighbours": {
            side: neighbours(models, place, sure[place])
            for place, side in enumerate(("annotators", "judge"))
        },
        "why_no_shares": None,
        "n": 60,
        "questions": 20,
        "same_items": True,
    }
    return Order(**parts | changes)


def neighbours(models, place, share):
    """The steps from each answering model to the next one, best first."""
    known = [name for name, values in models.items() if None not in values]
    known.sort(key=lambda name: -models[name][place])
    return tuple(Step(known[i], known[i + 1], share) for i in range(len(known) - 1))


def swap(higher, lower, annotator_share, judge_share):
    """A pair that the judge ranks the other way round than annotators."""
    certain = annotator_share is not None and annotator_share >= 0.95 and judge_share <= 0.05
    return Swap(higher, lower, annotator_share, judge_share, certain)
