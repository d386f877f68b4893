"""Every metric that lies in metrics/ is declared whole, and its worked example comes out."""

import asyncio
import copy
from fractions import Fraction

import numpy as np
import pytest

from concord import metrics
from concord.metrics import vera_retrieval_precision
from concord.metrics.framework.metric import Metric
from concord.metrics.prompts import unit_kinds
from concord.metrics.prompts import verdicts as prompts_verdicts
from concord.metrics.prompts.ask import Unreadable
from concord.metrics.prompts.inputs import Inputs, Undefined, Verdict
from concord.model import Context, Unit
from concord.reports.metrics.metric_records import bounds
from concord.reports.metrics.metrics import limits
from concord.reports.panel.panel import Marks, composite
from concord.rubrics.model import presets
from concord.text.sentences import sentences
from tests.support.made_items import made_item
from tests.support.scripted_desk import ScriptedDesk, measured

METRICS = list(metrics.available().values())
COMPUTED = [one for one in METRICS if not one.asks and not one.embeds]


def by_name(metric: Metric) -> str:
    return metric.name


def outcome_of(metric: Metric):
    example = metric.example
    replies = {name: copy.copy(reply) for name, reply in example.replies.items()}
    desk = ScriptedDesk(replies, example.units, example.verdicts, example.vectors)
    return measured(metric, example.item(), desk)


@pytest.mark.parametrize("metric", METRICS, ids=by_name)
def test_the_worked_example_comes_out_and_lacks_nothing(metric):
    assert metric.lacks(metric.example.item()) == ()
    assert outcome_of(metric).value == pytest.approx(metric.example.value, abs=1e-12)


def test_the_range_goes_by_the_reading():
    metric = metrics.named("answer_correctness")
    least = {c: metric.least({"facts_to_likeness": c}) for c in metric.switches[1].choices}
    assert least == {"3 to 1": -0.25, "facts alone": 0, "1 to 1": -0.5}
    assert metric.least({}) == metric.low == -0.25
    assert limits(metric, {"facts_to_likeness": "1 to 1"}) == "-0.5 to 1"
    assert bounds("answer_correctness", {"facts_to_likeness": "1 to 1"}) == (-0.5, 1)


@pytest.mark.parametrize("metric", COMPUTED, ids=by_name)
def test_the_value_stands_among_those_under_every_choice(metric):
    outcome = outcome_of(metric)
    assert outcome.units >= 1
    for switch in metric.switches:
        assert outcome.parts[switch.choices[0]] == outcome.value
        assert {*switch.choices} <= outcome.parts.keys()


@pytest.mark.parametrize("metric", COMPUTED, ids=by_name)
def test_what_a_choice_is_said_to_give_is_what_it_gives(metric):
    beside = outcome_of(metric).parts
    for switch in metric.switches:
        for choice in switch.choices:
            item = metric.example.item()
            chosen = measured(metric, item, ScriptedDesk(), **{switch.name: choice})
            assert chosen.value == beside[choice]


def outcome(name, desk, item, **switches):
    return measured(metrics.named(name), item, desk, **switches)


def about(*contexts, **changes):
    """An item with these contexts."""
    made = tuple(Context("", "", text, n) for n, text in enumerate(contexts, 1))
    return made_item(1, contexts=made, **changes)


@pytest.mark.parametrize(
    ("answer", "context", "said", "verdicts", "expected"),
    [
        (
            "Einstein was born in Germany on 20th March 1879.",
            "Albert Einstein (born 14 March 1879) was a German-born theoretical physicist.",
            ["Einstein was born in Germany.", "Einstein was born on 20th March 1879."],
            [3, 0],
            0.5,
        ),
        (
            "The first superbowl was held on Jan 15, 1967",
            "The First AFL-NFL World Championship Game was played on January 15, 1967.",
            ["The first Super Bowl was held on January 15, 1967."],
            [3],
            1.0,
        ),
    ],
)
def test_faithfulness_of_published_answers(answer, context, said, verdicts, expected):
    desk = ScriptedDesk(units={"claim": said}, labels={"claims-in-contexts": verdicts})
    assert outcome("faithfulness", desk, about(context, answer=answer)).value == expected


@pytest.mark.parametrize(
    ("scores", "expected"),
    [((3, 2, 3), 2.8), ((3, 3, 3), 3), ((0, 0, 0), 0), ((2, 1, 3), 2)],
)
def test_the_composite_weighs_correctness_three_times(scores, expected):
    weights = {one.name: one.weight for one in presets()["doc-qa-0-3"].criteria}
    assert [*weights.values()] == [Fraction(3, 5), Fraction(1, 5), Fraction(1, 5)]
    given, blind = np.zeros(1, np.int8), np.ones(1, bool)
    parts = {
        name: Marks(np.array([score]), given, blind)
        for name, score in zip(weights, scores, strict=True)
    }
    assert composite(parts, weights).score == [expected]


@pytest.mark.parametrize("label", ["Result: SUPPORTS", "SUPPORTS", "refutes, or not", ""])
def test_a_label_that_slipped_is_asked_again_and_is_no_refutation(label):
    rubric = prompts_verdicts.rubric("facts-in-document")
    ask = prompts_verdicts.request(rubric, made_item(1), [Unit(1, rubric.units, "A fact.", 0)])
    said = {"id": "u1", "reason": "It says so.", "quote": "", "verdict": label}
    with pytest.raises(Unreadable):
        ask.read({"verdicts": [said]})


def test_questions_about_the_place_make_an_answer_about_the_place_less_relevant():
    vectors = {
        "Where is France and what is its capital?": [1, 1],
        "Where is France?": [1, 0],
        "In which part of Europe does France lie?": [0.95, 0.05],
        "On which continent is France?": [0.9, 0.1],
        "Where is France and what is the capital?": [0.9, 1],
        "What is the capital of France, and where does it lie?": [0.8, 1],
        "In which part of Europe is France, whose capital is which?": [1, 0.8],
    }
    asked, *rest = vectors
    low, high = (_relevancy(asked, some, vectors) for some in (rest[:3], rest[3:]))
    assert low < 0.8 < high <= 1


def _relevancy(asked, guesses, vectors):
    said = [{"question": text, "clear": True, "noncommittal": False} for text in guesses]
    desk = ScriptedDesk({"questions": {"questions": said}}, vectors=vectors)
    return outcome("response_relevancy", desk, made_item(1, question=asked)).value


TWO = (
    Context("", "d1", "Tea is grown in Assam. It rains a lot.", 1),
    Context("", "d2", "Rome.", 2),
)


def outcome_of_metrics_vera(name, desk, item=None, **switches):
    return measured(metrics.named(name), item or made_item(1, contexts=TWO), desk, **switches)


def test_one_statement_from_elsewhere_makes_a_whole_answer_unfaithful():
    claims = {"claim": ["One.", "Two.", "Three."]}
    labels = {"claims-in-contexts": [3, 1, 1], "answer-in-contexts": [0]}
    desk = ScriptedDesk(units=claims, labels=labels)
    assert outcome_of_metrics_vera("faithfulness", desk).value == pytest.approx(1 / 3)
    assert outcome_of_metrics_vera("vera_faithfulness", desk).value == 0.0


def test_an_empty_answer_is_neither_faithful_nor_unfaithful():
    with pytest.raises(Undefined, match="empty"):
        outcome_of_metrics_vera("vera_faithfulness", ScriptedDesk(), made_item(1, answer=" "))


@pytest.mark.parametrize(
    ("copied", "value", "altered", "flags"),
    [
        (["Tea is grown in Assam."], 1 / 3, 0, ()),
        (["TEA is  grown in Assam. It rains a lot."], 2 / 3, 0, ()),
        (["Tea is grown in Assam, India."], 0, 1, ("altered",)),
        ([], 0, 0, ("insufficient information",)),
    ],
)
def test_only_what_was_copied_word_for_word_counts(copied, value, altered, flags):
    desk = ScriptedDesk({"extraction": {"sentences": copied}})
    found = outcome_of_metrics_vera("vera_retrieval_precision", desk)
    assert found.value == pytest.approx(value)
    assert (found.parts["altered"], found.flags) == (altered, flags)


@pytest.mark.parametrize(
    ("passages", "copies", "hits", "altered"),
    [
        (["No. The casino. It is so."], ["The casino."], [0, 1, 0], 0),
        (["No. The casino. It is so."], ["The casino. It is so."], [0, 1, 1], 0),
        (["It is so. It is\nso."], ["It is so."], [1, 1, 1], 0),
        (["Rome is old."], ["Rome"], [0], 0),
        (["港は２０２４年に\n開いた。静かだ。"], ["港は2024年に開いた。"], [1, 1, 0], 0),
        (["항구는 여섯 시에 연다. 조용하다."], ["항구는 여섯시에 연다."], [1, 0], 0),
        (["항구는 여섯 시에 연다."], ["항구는 일곱 시에 연다."], [0], 1),
        (["So.", "So."], ["So."], [1, 1], 0),
        (["So."], [], [0], 0),
    ],
)
def test_a_sentence_is_copied_where_the_copy_was_taken_from(passages, copies, hits, altered):
    every = [one for text in passages for one in sentences(text)]
    assert vera_retrieval_precision.copied(every, passages, copies) == (
        [bool(one) for one in hits],
        altered,
    )


def test_sentences_get_verdicts_from_the_copy_that_annotators_label_too():
    desk = ScriptedDesk({"extraction": {"sentences": ["Tea is grown in Assam."]}})
    found = outcome_of_metrics_vera("vera_retrieval_precision", desk)
    said = list(desk.said["context-sentences-copied"].values())
    assert [one.score for one in said] == [1, 0, 0]
    assert [ask.name for ask in desk.asked] == ["extraction"]
    labels = dict(desk.said["context-sentences-copied"])
    last = desk.kept["context_sentence"][-1].id
    desk.said["context-sentences-copied"] = labels | {last: Verdict(1, "")}
    person = Inputs(made_item(1, contexts=TWO), desk, {"duplicates": "once"}, by_labels=True)
    metric = metrics.named("vera_retrieval_precision").metric
    by_person = asyncio.run(metric(made_item(1, contexts=TWO), person))
    assert (found.value, by_person.value) == (pytest.approx(1 / 3), pytest.approx(2 / 3))
    assert len(desk.asked) == 1


def checked(labels, item=None, **switches):
    units = {"fact": [f"Fact {n}." for n in range(len(labels))]}
    desk = ScriptedDesk(units=units, labels={"facts-in-document": labels})
    item = item or made_item(1, reference_contexts=("The document.",))
    return outcome_of_metrics_vera("fact_support", desk, item, **switches)


def test_the_three_rates_of_facts_add_up_to_one():
    found = checked([3, 3, 0, 1, 2])
    rates = [found.parts[name] for name in ("supports", "refutes", "not enough info")]
    assert rates == pytest.approx([2 / 5, 1 / 5, 2 / 5]) and found.value == pytest.approx(2 / 5)


def test_answers_whose_document_was_missed_can_be_left_out():
    said = {"reference_contexts": ("The document.",), "contexts": TWO}
    hit = made_item(1, metadata={"relevant_ids": ["d2"]}, **said)
    missed = made_item(1, metadata={"relevant_ids": ["d9"]}, **said)
    assert checked([3], hit, only="retrieved").value == 1
    assert checked([3], missed).value == 1
    unnamed = tuple(one._replace(doc_id="") for one in TWO)
    chunks = tuple(one._replace(id=f"c{n}") for n, one in enumerate(TWO))
    for item, status in (
        (missed, "not_applicable"),
        (hit._replace(metadata={"relevant_ids": []}), "not_applicable"),
        (hit._replace(contexts=()), "not_applicable"),
        (made_item(1, **said), "missing_input"),
        (hit._replace(contexts=unnamed), "missing_input"),
        (hit._replace(contexts=chunks, metadata={"relevant_ids": ["c1"]}), "missing_input"),
    ):
        with pytest.raises(Undefined) as none:
            checked([3], item, only="retrieved")
        assert none.value.status == status


def test_the_date_of_an_item_is_told_where_facts_are_drawn_and_checked():
    assert "\n2024-02-09\nDATE " in unit_kinds.of_facts("q", "a", "2024-02-09").user
    assert "DATE" not in unit_kinds.of_facts("q", "a").user
    item = made_item(1, reference_contexts=("D.",), metadata={"judge_date": "2024-02-09"})
    desk = ScriptedDesk(units={"fact": ["One."]}, labels={"facts-in-document": [3]})
    outcome_of_metrics_vera("fact_support", desk, item)
    assert "\n2024-02-09\nDATE " in desk.asked[0].user
