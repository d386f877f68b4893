import re
from dataclasses import replace

from concord.model import NATIVE, Distribution
from concord.reports.agreement import agreement
from concord.reports.agreement.whole_document import document as of_agreement
from concord.reports.probabilities.confidence import report
from concord.reports.probabilities.document import document, in_agreement, of_rows
from concord.reports.probabilities.judge_probabilities import read, with_probabilities
from concord.reports.terminal import text
from tests.support.made_probabilities import give_probabilities, overconfident, stated
from tests.support.panels import give, judge, panel

PLACES = range(36)


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
