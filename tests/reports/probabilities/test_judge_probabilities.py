import re
from dataclasses import replace

import pytest

from concord.model import NATIVE, STATED, Distribution
from concord.reports.agreement import agreement
from concord.reports.agreement.whole_document import document as of_agreement
from concord.reports.panel.criterion_comparison import ground
from concord.reports.panel.reference_standard import EACH
from concord.reports.probabilities.document import document, in_agreement, of_rows
from concord.reports.probabilities.judge_probabilities import (
    NO_PROBABILITIES,
    NOT_OF_ITS_SCORE,
    ONE_SCORE,
    OUTSIDE,
    REPEATS,
    paired,
    read,
    report,
    with_probabilities,
)
from concord.reports.terminal import text
from tests.support.panels import (
    ATLAS,
    BIRCH,
    COBALT,
    give,
    give_probabilities,
    judge,
    overconfident,
    panel,
    stated,
)


def native(*shares, outside=None) -> Distribution:
    return Distribution(NATIVE, tuple(enumerate(shares)), outside)


def of_pairs(store, doc_qa, judge_id):
    read_panel = panel(store, doc_qa)
    on = ground(read_panel, "correctness", EACH)
    return paired(on, judge_id, read(store, read_panel)["correctness", judge_id])


def test_probabilities_are_those_of_each_pair_raw_and_confidence_is_normalised(
    store, sheet, doc_qa
):
    give(store, doc_qa, "Ana", {ATLAS: 3, BIRCH: 2})
    give(store, doc_qa, "Ben", {ATLAS: 3})
    given = {ATLAS: native(0, 0, 0.2, 0.6, outside=0.2), BIRCH: native(0, 0.1, 0.9, 0)}
    found = of_pairs(store, doc_qa, give_probabilities(store, doc_qa, "gpt", given))
    assert found.source == "native" and not found.stated and found.left_out == {}
    assert found.shares.tolist() == [[0, 0, 0.2, 0.6], [0, 0.1, 0.9, 0], [0, 0, 0.2, 0.6]]
    assert found.outside.tolist() == [0.2, 0.2]
    assert found.outside_pairs.item.tolist() == [ATLAS, ATLAS]
    assert found.confidence == pytest.approx([0.75, 0.9, 0.75])


def test_what_has_no_probabilities_or_none_on_the_scale_is_left_out_and_counted(
    store, sheet, doc_qa
):
    give(store, doc_qa, "Ana", {ATLAS: 3, BIRCH: 2, COBALT: 1})
    given = {ATLAS: native(0, 0, 0.2, 0.8), BIRCH: native(0, 0, 0, 0, outside=1.0), COBALT: None}
    scores = {BIRCH: 2, COBALT: 1}
    judge_id = give_probabilities(store, doc_qa, "gpt", given, scores=scores)
    found = of_pairs(store, doc_qa, judge_id)
    assert len(found.pairs.item) == 1
    assert found.left_out == {NO_PROBABILITIES: 1, OUTSIDE: 1}
    assert found.outside.tolist() == [1.0]  # or the mean would be of those that have none


def test_a_stated_confidence_is_taken_as_it_is_and_only_of_the_score_given(store, sheet, doc_qa):
    give(store, doc_qa, "Ana", {ATLAS: 3, BIRCH: 2})
    given = {ATLAS: Distribution(STATED, ((3, 0.7),)), BIRCH: Distribution(STATED, ((1, 0.8),))}
    judge_id = give_probabilities(store, doc_qa, "gpt", given, scores={BIRCH: 2})
    found = of_pairs(store, doc_qa, judge_id)
    assert found.stated and found.confidence.tolist() == [0.7]
    assert found.left_out == {NOT_OF_ITS_SCORE: 1}


def test_repeats_are_vote_shares_where_a_judge_gave_no_probabilities(store, sheet, doc_qa):
    give(store, doc_qa, "Ana", {ATLAS: 3, BIRCH: 2})
    judge_id = judge(store, doc_qa, "gpt", {ATLAS: 3, BIRCH: 2})
    assert read(store, panel(store, doc_qa)) == {}
    judge(store, doc_qa, "gpt", {ATLAS: 3}, repeat=2)
    judge(store, doc_qa, "gpt", {ATLAS: 1}, repeat=3)
    found = of_pairs(store, doc_qa, judge_id)
    assert found.source == REPEATS
    assert found.shares.tolist() == [pytest.approx([0, 1 / 3, 0, 2 / 3])]
    assert found.confidence == pytest.approx([2 / 3])
    assert found.left_out == {NO_PROBABILITIES: 1}


def test_stored_probabilities_count_and_no_repeats_beside_them(store, sheet, doc_qa):
    give(store, doc_qa, "Ana", {ATLAS: 3})
    judge_id = give_probabilities(store, doc_qa, "gpt", {ATLAS: native(0, 0, 0.2, 0.8)})
    judge(store, doc_qa, "gpt", {ATLAS: 1}, repeat=2)
    judge(store, doc_qa, "gpt", {ATLAS: 1}, repeat=3)
    assert of_pairs(store, doc_qa, judge_id).source == NATIVE


def test_a_repeat_without_a_score_has_no_vote(store, sheet, doc_qa):
    give(store, doc_qa, "Ana", {ATLAS: 3})
    judge(store, doc_qa, "gpt", {ATLAS: 3})
    judge(store, doc_qa, "gpt", {ATLAS: None}, repeat=2)
    assert read(store, panel(store, doc_qa)) == {}


PLACES = range(36)


def of(store, doc_qa, given, annotated):
    """The one row on correctness of a judge on 36 answers to 12 questions."""
    give(store, doc_qa, "Ana", annotated)
    give_probabilities(store, doc_qa, "gpt", given)
    read_panel = panel(store, doc_qa)
    [row] = report(read_panel, read(store, read_panel), "correctness")
    return row


def test_a_judge_that_is_sure_and_often_wrong_is_overconfident(store, sheet, doc_qa, often_wrong):
    row = of(store, doc_qa, {n: overconfident(n) for n in PLACES}, often_wrong)
    assert (row.n, row.questions, row.left_out) == (36, 12, {})
    assert row.said.within.confidence == pytest.approx(0.94)
    assert row.said.agreed.value == pytest.approx(2 / 3)
    assert row.overconfidence.value == pytest.approx(0.94 - 2 / 3)
    assert row.figures.ece.value == pytest.approx(0.94 - 2 / 3, abs=0.02)
    assert [one.answers for one in row.diagram] == [36]
    assert row.sharpness.value == pytest.approx(0.94)


def test_recalibration_makes_an_overconfident_judge_less_sure_and_its_score_better(
    store, sheet, doc_qa, often_wrong
):
    row = of(store, doc_qa, {n: overconfident(n) for n in PLACES}, often_wrong)
    assert row.temperature.temperature > 1.2
    assert row.temperature.after.value < row.temperature.before.value
    assert row.temperature.before.value == pytest.approx(row.figures.rps.value)
    assert row.isotonic.temperature is None and row.isotonic.before.value > 0


def test_of_a_stated_confidence_only_what_needs_no_other_score_is_known(
    store, sheet, doc_qa, often_wrong
):
    row = of(store, doc_qa, {n: stated(n) for n in PLACES}, often_wrong)
    assert row.said.agreed.value == pytest.approx(2 / 3)
    assert row.sharpness.why_none == row.temperature.before.why_none == ONE_SCORE
    assert row.isotonic.after.why_none == ONE_SCORE


def test_a_judge_with_no_answer_in_common_has_a_row_without_figures(store, sheet, doc_qa):
    row = of(store, doc_qa, {0: overconfident(0)}, {5: 3})
    assert (row.n, row.diagram) == (0, ())
    assert row.figures.rps.value is None and row.overconfidence.value is None
    assert row.temperature.before.value is None and row.said.within is None


def shown(store, doc_qa, judge="gpt", kind="each"):
    found = panel(store, doc_qa)
    rows = report(found, read(store, found), "correctness", kind)
    look = {row.judge: place for place, row in enumerate(rows)}
    return document(rows, judge, doc_qa, look)


def test_the_headline_says_how_often_annotators_agree_at_the_mean_confidence(
    store, annotated, doc_qa
):
    give_probabilities(store, doc_qa, "gpt", {n: overconfident(n) for n in PLACES})
    found = shown(store, doc_qa)
    assert re.fullmatch(
        r"When gpt says 94% on correctness, annotators agree 67% \[\d\d, \d\d\]", found.headline
    )
    assert found.facts == (
        "Its probabilities are not surely better than the base rate of the annotators' grades: "
        "skill 0.09 [-0.37, 0.55].",
        "94% is its mean confidence in 36 answers to 12 questions: all those with a confidence of "
        "at least 90%.",
    )
    [chart] = found.charts
    assert chart.title == "gpt is overconfident by 27 points on average"
    assert chart.alt.startswith("Reliability diagram of gpt: confidence 94%, agreement 67% [")


def test_what_the_headline_hides_is_said_below_it(store, annotated, doc_qa):
    """A judge that always says the same is well calibrated, and one off the scale looks sure."""
    constant = Distribution(NATIVE, tuple(enumerate((0.001, 0.002, 0.003, 0.094))), 0.9)
    give_probabilities(store, doc_qa, "gpt", dict.fromkeys(PLACES, constant))
    found = shown(store, doc_qa)
    assert found.headline.startswith("When gpt says 94% on correctness, annotators agree ")
    skill, _, outside = found.facts
    assert skill.startswith("Its probabilities are worse than the base rate of the annotators'")
    assert outside == (
        "On average 90% of its probability was on no score; its confidence is a share of the rest."
    )


def test_several_annotators_are_compared_with_one_another(store, annotated, doc_qa):
    give(store, doc_qa, "Ben", dict.fromkeys(PLACES, 3))
    give_probabilities(store, doc_qa, "gpt", {n: overconfident(n) for n in PLACES})
    (fact,) = (one for one in shown(store, doc_qa).facts if one.startswith("Inter-annotator"))
    assert re.fullmatch(r"Inter-annotator agreement on these answers: \d\d% \[\d\d, \d\d\]\.", fact)


def test_a_judge_of_continuous_numbers_says_why_nothing_is_compared(store, annotated, doc_qa):
    scores = {n: 1.5 for n in PLACES}
    give_probabilities(store, doc_qa, "gpt", {n: overconfident(n) for n in PLACES}, scores=scores)
    assert shown(store, doc_qa).facts == (
        "Left out: 36 answers, graded with continuous numbers; imported without scores, they are "
        "read from the probabilities.",
    )


def test_where_questions_share_clusters_what_counts_clusters_says_so(store, annotated, doc_qa):
    give_probabilities(store, doc_qa, "gpt", {n: overconfident(n) for n in PLACES})
    found = panel(store, doc_qa)
    rows = report(found, read(store, found), "correctness")
    assert (rows[0].questions, rows[0].clusters, rows[0].said.clusters) == (12, 12, 12)
    for questions, words, heads in (
        (12, "36 answers to 12 questions: all", ("questions", "questions")),
        (20, "36 answers to 12 clusters: all", ("clusters of questions", "clusters of questions")),
    ):
        every, one = of_rows([replace(rows[0], questions=questions)], "correctness", doc_qa)
        assert words in one.facts[1]
        columns = [[str(column.title) for column in doc.tables[0].columns] for doc in (every, one)]
        assert all(head in titles for head, titles in zip(heads, columns, strict=True))
        assert ("questions" in columns[1]) == (questions == 12)


def test_of_a_consensus_the_sentence_says_so(store, annotated, doc_qa):
    give_probabilities(store, doc_qa, "gpt", {n: overconfident(n) for n in PLACES})
    found = shown(store, doc_qa, kind="consensus").headline
    assert found.startswith("When gpt says 94% on correctness, the annotators' consensus agrees 67")


def test_under_the_minimum_the_sentence_is_withheld_with_its_reason(store, annotated, doc_qa):
    give_probabilities(store, doc_qa, "gpt", {n: overconfident(n) for n in range(12)})
    found = shown(store, doc_qa)
    assert found.headline == (
        "Cannot tell yet what 90% from gpt on correctness means: it requires 30 answers that "
        "confident, from 10 questions; so far 12 from 4"
    )
    assert found.facts == ()


def test_one_answer_is_counted_without_a_plural(store, annotated, doc_qa):
    give_probabilities(store, doc_qa, "gpt", {0: overconfident(0)})
    assert shown(store, doc_qa).headline.endswith(
        "it requires 30 answers that confident, from 10 questions; so far 1 from 1"
    )


def test_a_temperature_at_the_limit_of_its_search_says_so(store, annotated, doc_qa):
    """A judge that is always right and always unsure: nothing makes it sure enough."""
    scores = {n: 3 for n in PLACES}
    right = Distribution(NATIVE, ((0, 0.1), (1, 0.2), (2, 0.3), (3, 0.4)))
    give(store, doc_qa, "Ana", scores)
    give_probabilities(store, doc_qa, "gpt", dict.fromkeys(PLACES, right), scores=scores)
    (row, _) = shown(store, doc_qa).tables[1].rows
    assert row[0] == "temperature 0.05, the limit of the search"
    give_probabilities(store, doc_qa, "fitted", {n: overconfident(n) for n in PLACES})
    (row, _) = shown(store, doc_qa, "fitted").tables[1].rows
    assert re.fullmatch(r"temperature \d+\.\d\d", row[0])


def test_the_figures_of_all_judges_are_one_table_and_say_why_any_is_missing(
    store, annotated, doc_qa
):
    give_probabilities(store, doc_qa, "gpt", {n: overconfident(n) for n in PLACES})
    give_probabilities(store, doc_qa, "says", {n: stated(n) for n in PLACES})
    found = shown(store, doc_qa)
    lines = text(found)
    assert re.search(r"judge +gpt +says", lines)
    assert re.search(r"source +native +stated", lines)
    assert re.search(r"answers left out +0 +0", lines)
    assert any(
        note.endswith(" (says): the judge states the probability of its own score only.")
        for note in found.notes
    )


def test_vote_shares_of_repeats_and_answers_left_out_are_said(store, annotated, doc_qa):
    judge(store, doc_qa, "gpt", dict.fromkeys(PLACES, 3))
    judge(store, doc_qa, "gpt", dict.fromkeys(range(33), 3), repeat=2)
    found = shown(store, doc_qa)
    assert found.facts[-2:] == (
        "The probabilities of gpt are vote shares: how often it gave each score when it graded an "
        "answer again.",
        "Left out: 3 answers, graded without probabilities.",
    )


def test_agreement_prints_a_table_only_where_a_judge_gave_probabilities(store, annotated, doc_qa):
    judge(store, doc_qa, "plain", dict.fromkeys(PLACES, 3))

    def said():
        found = panel(store, doc_qa)
        rows = with_probabilities(store, found, agreement.report(found).rows)
        return in_agreement(rows, doc_qa), rows, found

    nothing, *_ = said()
    assert nothing.tables[0].rows == () and nothing.notes == ()
    give_probabilities(store, doc_qa, "gpt", {n: overconfident(n) for n in PLACES})
    found, rows, read_panel = said()
    [table] = found.tables
    assert [row[:3] for row in table.rows] == [("gpt", "correctness", "native")]
    assert [column.title for column in table.columns][3:] == [
        "answers",
        "ranked probability score",
        "that of the base rate",
        "skill",
        "calibration error",
        "outside mass",
    ]
    made = agreement.report(read_panel)
    whole = of_agreement(type(made)(**vars(made) | {"rows": rows}), doc_qa)
    assert "\n\nProbabilities\njudge" in text(whole)
