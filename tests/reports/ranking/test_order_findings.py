"""The ranking's finding in words, on orders written by hand."""

import pytest

from concord.reports.ranking import order_findings as words


def mean(value, low=None, high=None):
    return {"value": value, "low": low, "high": high, "method": "", "why_none": None}


def order(models, swaps=(), judge="gpt-4", sure=(1.0, 1.0), **changes):
    """An order of the ranking report; `models` is {name: (by people, by the judge)}.

    `sure` is the share of resamples behind every pair of neighbours, by people and by the judge.
    """
    rows = [
        {"answer_model": name, "people": mean(people), "judge": mean(own)}
        for name, (people, own) in models.items()
    ]
    return {
        "judge": judge,
        "simulated": judge.startswith("sim"),
        "tau_b": None,
        "tau_b_low": None,
        "tau_b_high": None,
        "why_none": "under 5",
        "swaps": [swap(*pair) for pair in swaps],
        "models": rows,
        "neighbours": {
            side: neighbours(models, place, sure[place])
            for place, side in enumerate(("people", "judge"))
        },
        "why_no_shares": None,
        "n": 60,
        "questions": 20,
        "same_items": True,
    } | changes


def neighbours(models, place, share):
    known = [name for name, values in models.items() if None not in values]
    known.sort(key=lambda name: -models[name][place])
    return [
        {"above": known[i], "below": known[i + 1], "share": share} for i in range(len(known) - 1)
    ]


def swap(higher, lower, people_share, judge_share):
    certain = people_share is not None and people_share >= 0.95 and judge_share <= 0.05
    shares = {"people_share": people_share, "judge_share": judge_share}
    return {"higher": higher, "lower": lower, **shares, "certain": certain}


SAME = {"atlas": (2.9, 2.8), "birch": (2.0, 2.1), "cobalt": (1.0, 1.5)}
TURNED = {"atlas": (2.9, 2.0), "birch": (2.0, 2.5)}
MANY = {f"m{n}": (3 - n / 9, 3 - n / 8) for n in range(6)}


@pytest.mark.parametrize(
    ("made", "said"),
    [
        (order(SAME), "People and gpt-4 put atlas above birch above cobalt"),
        (
            order(SAME, sure=(0.99, 0.8)),
            "People and gpt-4 put atlas above birch above cobalt, but 2 of these steps are not "
            "sure yet",
        ),
        (
            order(TURNED | {"birch": (2.0, 1.9)}, sure=(0.99, 0.8)),
            "People and gpt-4 put atlas above birch, but gpt-4 is not yet sure of atlas above "
            "birch",
        ),
        (
            order(TURNED | {"birch": (2.0, 1.9)}, sure=(0.8, 0.99)),
            "People and gpt-4 put atlas above birch, but people are not yet sure of atlas above "
            "birch",
        ),
        (
            order(TURNED | {"birch": (2.0, 1.9)}, sure=(0.8, 0.6)),
            "People and gpt-4 put atlas above birch, but neither is sure yet of atlas above birch",
        ),
        (
            order(TURNED, [("atlas", "birch", 1.0, 0.02)]),
            "People put atlas above birch, gpt-4 puts birch above atlas",
        ),
        (
            order(TURNED, [("atlas", "birch", 0.9, 0.02)]),
            "Cannot tell yet: people put atlas above birch, gpt-4 puts birch above atlas, within "
            "the error",
        ),
        (
            order(SAME, [("atlas", "birch", 0.99, 0.01), ("birch", "cobalt", 0.99, 0.4)]),
            "gpt-4 puts 2 of 3 pairs of answering models the other way round than people, 1 of "
            "them beyond the error",
        ),
        (
            order(SAME, [("atlas", "birch", 0.9, 0.01), ("birch", "cobalt", 0.99, 0.4)]),
            "Cannot tell yet: gpt-4 puts 2 of 3 pairs of answering models the other way round "
            "than people, but not beyond the error",
        ),
        (
            order(MANY),
            "People and gpt-4 put 6 answering models in the same order, m0 first and m5 last",
        ),
        (
            order({"atlas": (2.9, 2.0), "birch": (2.0, 2.0)}),
            "gpt-4 puts no two answering models the other way round than people",
        ),
        (
            order({"atlas": (2, 2), "birch": (2, 2)}, sure=(0.5, 0.5)),
            "People and gpt-4 put atlas level with birch, but neither is sure yet of atlas above "
            "birch",
        ),
        (
            order(SAME, why_no_shares="under 20 questions none are drawn again"),
            "People and gpt-4 put atlas above birch above cobalt, but cannot tell yet how sure "
            "that is",
        ),
        (
            order({"atlas": (2.9, None), "birch": (2.0, 2.1)}),
            "gpt-4 and people share answers of one answering model only: nothing to rank",
        ),
        (
            order({"atlas": (None, None)}, n=0),
            "gpt-4 and people have no composite for the same answer, so no order to compare",
        ),
    ],
)
def test_the_title_says_whether_the_order_is_shared_and_how_sure_that_is(made, said):
    assert words.title(made) == said


def test_whoever_is_simulated_or_only_the_floor_is_marked():
    assert words.judge_name(order(SAME, judge="baseline")) == "baseline (the floor)"
    assert words.judge_name(order(SAME, judge="simulated-judge")) == "simulated-judge"
    assert words.judge_name(order(SAME, judge="sim")) == "sim (simulated)"


def test_the_best_judge_swaps_least_and_is_the_baseline_only_where_it_is_alone():
    baseline = order(SAME, judge="baseline")
    turned = order(TURNED, [("atlas", "birch", 1.0, 0.0)])
    assert words.best([baseline, turned]) is turned
    assert words.best([turned, order(SAME, judge="other")])["judge"] == "other"
    assert words.best([baseline]) is baseline
    assert words.best([]) is None


def people(*simulated):
    return {"people": [{"name": str(n), "simulated": one} for n, one in enumerate(simulated)]}


def test_the_detail_counts_answers_and_names_what_is_not_compared():
    made = order(SAME | {"dune": (None, 2.0)}, same_items=False, why_no_shares="too few")
    assert words.detail(people(True, False, False), made) == (
        "On 60 answers to 20 questions that both gave a composite to. Not compared, since one of "
        "the two has no composite of it: dune. How sure the order is remains unknown: too few. "
        "1 of the 3 people is simulated."
    )
    assert words.detail(people(False), order(SAME, n=1)) == "On 1 answer to 20 questions."


def test_pairs_that_swap_come_first_and_once():
    made = order(
        {"atlas": (2.9, 2.0), "birch": (2.0, 2.5), "cobalt": (1.0, 1.0)},
        [("atlas", "birch", 1.0, 0.12)],
        sure=(0.97, 0.88),
    )
    found = words.pairs(made)
    assert [(p["above"], p["below"], p["people"], p["judge"], p["reading"]) for p in found] == [
        ("atlas", "birch", 1.0, 0.12, "swap, but cannot tell yet"),
        ("birch", "cobalt", 0.97, None, "sure"),
        ("atlas", "cobalt", None, 0.88, "cannot tell yet"),
    ]
    assert [words.pair_sentence(pair, "gpt-4") for pair in found] == [
        "People put atlas above birch in >99% of resamples; gpt-4 puts birch above in 88% of "
        "resamples.",
        "People put birch above cobalt in 97% of resamples.",
        "gpt-4 puts atlas above cobalt in 88% of resamples.",
    ]
    assert [words.is_sure(pair) for pair in found] == [False, True, False]


def test_a_shared_step_is_read_for_both():
    (pair, _) = words.pairs(order(SAME, sure=(0.97, 0.8)))
    assert pair["reading"] == "sure for people only"
    assert words.pair_sentence(pair, "gpt-4") == (
        "People put atlas above birch in 97% of resamples, gpt-4 in 80%."
    )


def test_without_resamples_pairs_say_so():
    made = order(TURNED, [("atlas", "birch", None, None)], sure=(None, None))
    (pair,) = words.pairs(made)
    assert pair["reading"] == "swap, not drawn again"
    assert words.pair_sentence(pair, "gpt-4") == (
        "People put atlas above birch; gpt-4 puts birch above."
    )


def test_swaps_in_a_cell_are_the_judges_order():
    made = order(SAME, [("atlas", "birch", 0.99, 0.01), ("birch", "cobalt", 0.99, 0.4)])
    assert words.swaps_in_words(made) == "birch above atlas; cobalt above birch (not sure)"
    assert words.swaps_in_words(order(SAME)) == "none"


def test_shares_of_finitely_many_resamples_are_never_all_or_none():
    assert [words.share(value) for value in (1.0, 0.0, 0.9999, 0.5, None)] == [
        *(">99%", "<1%", ">99%", "50%", "—"),
    ]
