"""Segment analysis: metrics on a topic's questions compared with those on other questions."""

import json
from dataclasses import replace

import numpy as np
import pytest

from concord.messages import Problem
from concord.reports import terminal
from concord.reports.segments import segment_analysis, segments
from concord.sampling import split_assignment
from concord.stats.core.estimate import TOO_FEW, reason
from concord.stats.intervals.bootstrap import ALIKE
from concord.stats.intervals.resampling import Draws
from concord.store import additions
from tests.support.made_items import made_item
from tests.support.measured_sets import give

DRAWS = Draws(300, 7)
SETS = ("sales", "basketball", "random")


def numbers(*means, seed=1):
    random = np.random.default_rng(seed)
    return [m + random.uniform(-0.1, 0.1) for m in means for _ in range(20)]


def found(store, sheet, topic=None, draws=DRAWS):
    return segment_analysis.report(segments.of_column(store, sheet, topic=topic), draws)


def headline(report):
    return segment_analysis.document(report).headline


def shown(report):
    return terminal.text(segment_analysis.document(report))


def test_each_set_is_held_against_the_topic(store, three_sets):
    give(store, three_sets.id, "faithfulness", numbers(0.8, 0.5, 0.3))
    said = found(store, three_sets)
    (row,) = said.metrics
    assert (said.topic, [one.set for one in row.sets]) == ("sales", [*SETS])
    assert [one.mean for one in row.sets] == pytest.approx([0.8, 0.5, 0.3], abs=0.03)
    assert [one.difference.value for one in row.contrasts] == pytest.approx([0.3, 0.5], abs=0.05)
    assert {one.verdict for one in row.contrasts} == {"better"}
    assert all(one.exceeds == 1 and one.overlap == 0 for one in row.contrasts)
    assert headline(said) == (
        "sales scores better in 2 and worse in 0 of 2 comparisons with basketball and random"
    )


def test_another_set_can_be_the_topic(store, three_sets):
    give(store, three_sets.id, "faithfulness", numbers(0.8, 0.5, 0.3))
    said = found(store, three_sets, topic="random")
    assert [one.verdict for one in said.metrics[0].contrasts] == ["worse", "worse"]


def test_where_lower_is_better_the_lower_set_fares_better(store, three_sets):
    give(store, three_sets.id, "noise_sensitivity_relevant", numbers(0.2, 0.5, 0.8))
    (row,) = found(store, three_sets).metrics
    assert {one.verdict for one in row.contrasts} == {"better"}


def test_sets_that_are_alike_cannot_be_told_apart(store, three_sets):
    give(store, three_sets.id, "faithfulness", numbers(0.5, 0.5, 0.5))
    said = found(store, three_sets)
    assert {one.verdict for one in said.metrics[0].contrasts} == {"cannot tell"}
    assert headline(said) == (
        "sales: no conclusive difference from basketball and random in 2 comparisons"
    )


def test_sets_without_a_number_are_not_called_alike(store, three_sets):
    """Only `sales` and `basketball` were measured; of `random` nothing is known."""
    values = numbers(0.5, 0.5, 0.5)
    values[40:] = [None] * 20
    give(store, three_sets.id, "faithfulness", values)
    said = found(store, three_sets)
    assert [one.verdict for one in said.metrics[0].contrasts] == [
        "cannot tell",
        "not measured",
    ]
    assert headline(said) == ("sales: no conclusive difference from basketball in 1 comparison")
    assert "Not compared with sales, as no metric has values in both: random." in shown(said)


def test_numbers_that_are_all_alike_have_no_picture_and_tie(store, three_sets):
    give(
        store,
        three_sets.id,
        "document_precision",
        [1 / 3] * 20 + [0.1 + 0.2 + 1 / 30] * 20 + [1] * 20,
    )
    (row,) = found(store, three_sets).metrics
    assert [one.spread for one in row.sets] == [None] * 3
    assert [one.variance for one in row.sets] == [0] * 3
    assert [one.exceeds for one in row.contrasts] == [0.5, 0]
    assert row.contrasts[0].verdict == "cannot tell"


def test_what_has_no_number_is_counted_and_not_a_zero(store, three_sets):
    values = numbers(0.8, 0.5, 0.3)
    values[:12] = [None] * 12
    give(store, three_sets.id, "faithfulness", values)
    (row,) = found(store, three_sets).metrics
    assert (row.sets[0].n, row.sets[0].left_out) == (8, {"refused": 12})
    assert row.sets[0].interval.why_none == TOO_FEW
    assert row.contrasts[0].verdict == "cannot tell"
    (note,) = segment_analysis.document(found(store, three_sets)).notes
    assert "fewer than 10 questions" in note and note.endswith(": Faithfulness.")


def test_shares_have_wilsons_interval_beside_the_percentiles(store, three_sets):
    give(store, three_sets.id, "vera_faithfulness", [1] * 20 + [1, 0] * 10 + [0] * 20)
    sets = found(store, three_sets).metrics[0].sets
    assert sets[0].wilson.low < 1 and sets[0].interval.low is None
    assert ALIKE in sets[0].flags and ALIKE not in sets[1].flags


def test_the_largest_conclusive_difference_is_named(store, three_sets):
    give(store, three_sets.id, "faithfulness", numbers(0.8, 0.5, 0.3))
    largest = segment_analysis.document(found(store, three_sets)).facts[0]
    assert largest.startswith("Largest difference: Faithfulness, sales minus random: +0.48")


def test_repeats_are_drawn_too(store, three_sets):
    give(store, three_sets.id, "faithfulness", numbers(0.8, 0.5, 0.3))
    give(store, three_sets.id, "faithfulness", numbers(0.8, 0.5, 0.3, seed=2), repeat=2)
    (row,) = found(store, three_sets).metrics
    assert row.sets[0].n == 20 and reason("two_level") in row.sets[0].flags
    assert row.sets[0].from_repeats > 0


def test_a_smaller_draw_is_said_beside_the_interval(store, three_sets):
    give(store, three_sets.id, "faithfulness", numbers(0.8, 0.5, 0.3))
    sets = found(store, three_sets, draws=Draws(300, 7, size=5)).metrics[0].sets
    assert reason("mean_of_n", n=5) in sets[0].flags
    wide = found(store, three_sets).metrics[0].sets[0]
    assert sets[0].error / wide.error == pytest.approx(2, rel=0.2)


def test_an_error_counts_as_stable_only_where_fewer_resamples_gave_it(store, three_sets):
    give(store, three_sets.id, "faithfulness", numbers(0.8, 0.5, 0.3))
    sets = [(50, 50, 50), (None, 50, 100), (None, None, None)]
    (row,) = found(store, three_sets).metrics
    assert [
        segment_analysis.settled(
            [replace(row, sets=tuple(map(lambda one, b: replace(one, settled=b), row.sets, of)))]
        )
        for of in sets
    ] == [
        "Every standard error stays within 5% of the last from B = 50 on",
        "Not every standard error is stable yet",
        "No standard error is stable yet",
    ]


def test_a_question_in_two_sets_is_refused_by_name(store):
    made = [
        made_item(1, m, metadata={"set": name}) for m, name in (("atlas", "in"), ("birch", "out"))
    ]
    sheet = additions.add(store, "both", made, "b.csv", "2" * 64, {})
    with pytest.raises(Problem, match="is in the segments in and out"):
        segments.of_column(store, sheet)


def test_without_sets_it_says_how_to_name_them(store, sheet):
    with pytest.raises(Problem, match="has a column “set”"):
        segments.of_column(store, sheet)


def test_an_unknown_topic_lists_the_sets(store, three_sets):
    with pytest.raises(Problem, match="Available: sales, basketball, random"):
        segments.of_column(store, three_sets, topic="rugby")


def test_answers_in_no_set_and_closed_ones_are_counted(store):
    said = ["in"] * 10 + ["out"] * 10 + [None] * 4
    made = [made_item(n, metadata={"set": name}) for n, name in enumerate(said)]
    sheet = additions.add(store, "some", made, "s.csv", "3" * 64, {})
    split_assignment.assign(store, [1], "few-shot", "shown")
    assert segments.of_column(store, sheet).caveats == (
        "In no segment: 4 of 24 answers.",
        "Excluded, as their questions are few-shot examples or held out: 1 answer.",
    )


def test_clusters_can_be_the_sets_and_then_questions_are_drawn(store):
    made = [made_item(n, cluster="ab"[n // 12]) for n in range(24)]
    sheet = additions.add(store, "documents", made, "d.csv", "4" * 64, {})
    give(store, sheet.id, "faithfulness", [0.9, 0.8] * 6 + [0.1, 0.2] * 6)
    assert segments.columns(store, sheet) == ["cluster"]
    said = segment_analysis.report(segments.of_column(store, sheet, "cluster"), DRAWS)
    assert [one.questions for one in said.metrics[0].sets] == [12, 12]


def test_columns_that_name_a_few_sets_are_offered_and_others_are_not(store, three_sets):
    assert segments.columns(store, three_sets) == ["set"]


def test_sheets_can_be_the_sets(store, run, tmp_path):
    for place, name in enumerate(("tea", "rome")):
        made = [made_item(n, question=f"{name} {n}?") for n in range(12)]
        sheet = additions.add(store, name, made, f"{name}.csv", str(place) * 64, {})
        give(store, sheet.id, "faithfulness", [0.9 - 0.5 * place + n / 100 for n in range(12)])
    words = ["topicality", "--sheet", "tea", "--other-sheet", "rome", "--resamples", 200]
    said = json.loads(run(*words, "--json").output)
    assert (said["by"], said["topic"], said["resamples"]) == ("sheet", "tea", 200)
    assert said["metrics"][0]["contrasts"][0]["difference"]["value"] == pytest.approx(0.5)
    shown = run(*words, "--metric", "faithfulness", "--judge", "mine").output
    assert "tea scores better in 1 and worse in 0 of 1 comparison with rome" in shown
    assert "P(above)" in shown and "variance of the mean" in shown
    assert "B = 200 resamples of whole questions, seed 20231. Every standard error stays" in shown
    assert "Available: mine" in run(*words, "--judge", "other", code=2).output
    assert "Available: faithfulness" in run(*words, "--metric", "mood", code=2).output
    assert "not both" in run(*words, "--on", "tea", code=2).output


def test_a_sheet_compared_with_itself_or_a_copy_of_it_is_refused(store, run, three_sets):
    twice = ["topicality", "--sheet", "three", "--other-sheet"]
    assert "named twice" in run(*twice, "three", code=2).output
    additions.add(store, "copy", [made_item(1, question="SALES 3?")], "c.csv", "9" * 64, {})
    assert "is in the segments three and copy" in run(*twice, "copy", code=2).output


def test_without_numbers_it_says_how_to_begin(store, three_sets, run):
    assert "judge computed" in run("topicality").output


def test_one_set_has_its_figures_and_nothing_to_be_held_against(store, run):
    made = [made_item(n, metadata={"set": "one"}) for n in range(12)]
    sheet = additions.add(store, "single", made, "o.csv", "5" * 64, {})
    give(store, sheet.id, "faithfulness", [n / 12 for n in range(12)])
    assert "There is one segment, one: nothing to compare it with" in run("topicality").output
    assert "There is one segment, single:" in run("topicality", "--whole").output
