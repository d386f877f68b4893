"""The document of a ranking, of orders written by hand."""

from dataclasses import replace

import pytest

from concord.reports.panel.simulated import Annotator
from concord.reports.ranking.document import best, detail, document, judge_name, order_headline
from concord.reports.ranking.ranking import RankedModel, Ranking
from concord.stats.core.estimate import undefined, with_interval, without_interval
from tests.support.reports.orders import SAME, order


def ranking(*orders, simulated=(False,), certain=False):
    annotators = tuple(Annotator(str(n), one) for n, one in enumerate(simulated))
    own = tuple(
        RankedModel(
            with_interval(value, value - 0.2, value + 0.2, "jackknife")
            if certain
            else without_interval(value, "few"),
            *("annotators", "annotator", False, name, 5, 5, None, "few"),
        )
        for name, value in (("atlas", 2.5), ("birch", 1.5))
    )
    left_out = {"annotators": {"sealed": 3}, "gpt-4": {}}
    return Ranking(own, orders, left_out, {}, (0, 1, 2, 3), annotators, "seed: 1")


def steps(made):
    """The rows of the steps of one judge, without its name."""
    return [row[1:] for row in tables(document(ranking(made)))["pairs"].rows]


def tables(document):
    return {table.name: table for table in document.tables}


TURNED = {"atlas": (2.9, 2.0), "birch": (2.0, 2.5)}
MANY = {f"m{n}": (3 - n / 9, 3 - n / 8) for n in range(6)}
OPEN = "Inconclusive: gpt-4 "


@pytest.mark.parametrize(
    ("made", "expected", "more"),
    [
        (
            order(SAME),
            "gpt-4 ranks the models as annotators do",
            "Both rank atlas > birch > cobalt.",
        ),
        (
            order(MANY),
            "gpt-4 ranks the models as annotators do",
            "Both rank m0 > … > m5.",
        ),
        (
            order(SAME, sure=(0.99, 0.8)),
            OPEN + "may rank the models as annotators do",
            "Both rank atlas > birch > cobalt, but not every step is certain.",
        ),
        (
            order(SAME, sure=(None, None), why_no_shares="under 20 questions"),
            OPEN + "may rank the models as annotators do",
            "Both rank atlas > birch > cobalt, but not every step is certain.",
        ),
        (
            order(TURNED, [("atlas", "birch", 1.0, 0.02)]),
            "gpt-4 reverses 1 of 1 pair of models",
            "Reversals that are certain: 1.",
        ),
        (
            order(SAME, [("atlas", "birch", 0.99, 0.01), ("birch", "cobalt", 0.99, 0.4)]),
            "gpt-4 reverses 2 of 3 pairs of models",
            "Reversals that are certain: 1.",
        ),
        (
            order(TURNED, [("atlas", "birch", 0.9, 0.02)]),
            OPEN + "reverses 1 of 1 pair of models",
            "None of the reversals is certain.",
        ),
        (
            order(
                {name: (annotators, 2.0) for name, (annotators, _) in SAME.items()}, sure=(1.0, 0.5)
            ),
            "gpt-4 ties models that annotators rank apart",
            "In 3 of 3 pairs of answering models.",
        ),
        (
            order({"atlas": (2.0, 2.9), "birch": (2.0, 2.0), "cobalt": (1.0, 1.0)}),
            "gpt-4 ranks models apart that annotators tie",
            "In 1 of 3 pairs of answering models.",
        ),
        (
            order({"atlas": (2, 2), "birch": (2, 2)}, sure=(0.5, 0.5)),
            "gpt-4 and annotators rank all models equal",
            "",
        ),
        (
            order({"atlas": (2.9, None), "birch": (2.0, 2.1)}),
            "gpt-4 and annotators graded answers of one model in common",
            None,
        ),
        (
            order({"atlas": (None, None)}, n=0),
            "gpt-4 and annotators have no composite of the same answer",
            None,
        ),
    ],
)
def test_the_headline_says_whether_the_order_is_shared_and_whether_that_is_certain(
    made, expected, more
):
    assert order_headline(made) == expected
    if more is not None:
        assert detail(None, made) == more


def test_a_tie_in_the_middle_of_many_models_is_no_shared_order():
    tied = MANY | {"m2": (MANY["m2"][0], MANY["m3"][1])}
    assert "ties models" in order_headline(order(tied))


def test_simulated_judges_are_marked():
    assert judge_name(order(SAME, judge="baseline")) == "baseline"
    assert judge_name(order(SAME, judge="simulated-judge")) == "simulated-judge"
    assert judge_name(order(SAME, judge="sim")) == "sim (simulated)"


def test_the_best_judge_swaps_least_and_is_the_baseline_only_where_it_is_alone():
    baseline = order(SAME, judge="baseline")
    turned = order(TURNED, [("atlas", "birch", 1.0, 0.0)])
    assert best([baseline, turned]) is turned
    assert best([turned, order(SAME, judge="other")]).judge == "other"
    level = order({model: (own, 2.0) for model, (own, _) in MANY.items()}, judge="level")
    one, two = sorted(MANY)[:2]
    swapped = MANY | {one: (MANY[one][0], MANY[two][1]), two: (MANY[two][0], MANY[one][1])}
    near = order(swapped, [(one, two, 1.0, 0.0)], judge="near")
    assert best([level, near]) is near
    assert best([baseline]) is baseline
    assert best([]) is None


def test_without_a_judge_to_compare_the_headline_is_the_annotators_order():
    assert document(ranking(certain=True)).headline == "The annotators rank atlas > birch"
    expected = "Not certain: the annotators rank atlas > birch"
    assert document(ranking()).headline == expected
    alone = document(ranking(order({"atlas": (None, None)}, n=0)))
    assert alone.headline == expected
    assert alone.facts[0] == "No judge can be compared with them yet."


def test_the_facts_count_answers_and_name_what_is_not_compared():
    made = order(SAME | {"dune": (None, 2.0)}, same_items=False, why_no_shares="too few")
    assert document(ranking(made, simulated=(True, False, False))).facts == (
        "Both rank atlas > birch > cobalt.",
        "1 of the 3 annotators is simulated.",
        "Compared on 60 answers to 20 questions that both gave a composite to.",
        "Not compared, as one of the two has no composite: dune.",
        "The certainty of the order is unknown: too few.",
    )
    shown = document(ranking(order(SAME, n=1)))
    assert shown.facts[1:] == ("Compared on 1 answer to 20 questions.",)


def test_the_notes_name_whose_mean_is_undefined():
    lacking = undefined("no answer is scored")
    judged = (RankedModel(lacking, "mini", "judge", False, "atlas", 0, 0, None, ""),)
    made = ranking(order(SAME))
    notes = document(replace(made, models=(*made.models, *judged))).notes
    assert "Mean composite (mini): no answer is scored." in notes


def test_pairs_that_swap_come_first_and_once():
    made = order(
        {"atlas": (2.9, 2.0), "birch": (2.0, 2.5), "cobalt": (1.0, 1.0)},
        [("atlas", "birch", 1.0, 0.12)],
        sure=(0.97, 0.88),
    )
    assert steps(made) == [
        ("atlas", "birch", 0.97, pytest.approx(0.12), "reversed, inconclusive"),
        ("birch", "cobalt", 0.97, None, "certain for the annotators"),
        ("atlas", "cobalt", None, 0.88, "inconclusive"),
    ]


def test_a_step_of_both_orders_is_the_same_order_where_both_are_certain():
    assert steps(order(SAME, sure=(0.97, 0.99)))[0] == ("atlas", "birch", 0.97, 0.99, "same order")
    assert steps(order(SAME, sure=(0.97, 0.8)))[0][-1] == "certain for the annotators"
    assert steps(order(SAME, sure=(0.8, 0.97)))[0][-1] == "certain for the judge"


def test_models_level_for_the_judge_are_one_pair_in_either_direction():
    level = order({"atlas": (1.0, 2.0), "birch": (2.0, 2.0)}, sure=(1.0, 0.5))
    assert [row[:4] for row in steps(level)] == [("birch", "atlas", 1.0, 0.5)]


def test_without_resamples_nothing_is_certain():
    made = order(TURNED, [("atlas", "birch", None, None)], sure=(None, None))
    assert [row[-1] for row in steps(made)] == ["reversed, inconclusive"]


def test_the_tables_hold_every_judge_or_the_pairs_of_one():
    found = ranking(
        order(SAME, [("atlas", "birch", 0.99, 0.01), ("birch", "cobalt", 0.99, 0.4)]),
        order({"atlas": (2.9, None), "birch": (2.0, 2.1)}, judge="alone"),
        order(SAME, judge="other"),
    )
    shown = tables(document(found))
    assert [row[2:5] for row in shown["orders"].rows] == [
        ("atlas > birch > cobalt", 2, 1),
        ("birch", None, None),
        ("atlas > birch > cobalt", 0, 0),
    ]
    assert {row[0] for row in shown["pairs"].rows} == {"gpt-4", "other"}
    assert shown["excluded"].rows == (("annotators", "sealed", 3),)
    why = shown["excluded"].columns[1].title
    assert (why, why.template) == ("reason", "excluded because")
    assert [row[:2] for row in shown["composites"].rows] == [
        ("annotators", "atlas"),
        ("annotators", "birch"),
    ]
    one = document(found, "other")
    assert {row[0] for row in tables(one)["pairs"].rows} == {"other"}
    assert one.headline.startswith("other ranks the models as annotators do")


def test_the_table_of_means_says_that_it_has_more_answers_than_the_comparison():
    found = document(ranking(order(SAME, n=6, questions=3, same_items=False)))
    (compared,) = (one for one in found.facts if one.startswith("Compared"))
    assert compared == "Compared on 6 answers to 3 questions that both gave a composite to."
    means = tables(found)["composites"]
    assert means.title == "Mean composite on all answers each grader scored"
    assert [row[-2] for row in means.rows] == [5, 5]
