"""Worked examples of the sources that no other test of a metric holds, with the printed figures.

The texts are those of the examples; what a model would say of them is scripted.
"""

from fractions import Fraction

import numpy as np
import pytest

from concord import metrics
from concord.judges.prompting.reply import parse
from concord.metrics import response_relevancy
from concord.metrics.prompts import unit_kinds
from concord.metrics.prompts import verdicts as prompts_verdicts
from concord.metrics.prompts.ask import Unreadable
from concord.model import Context, Unit
from concord.reports.panel.panel import Marks, composite
from concord.rubrics.model import presets
from concord.stats.agreement import coefficients
from tests.support.made_items import made_item
from tests.support.scripted_desk import ScriptedDesk, measured

APPLE = "苹果公司由史蒂夫·乔布斯和沃兹尼亚克在1976年创立,总部位于加利福尼亚。"
FOUR = [
    "苹果公司由史蒂夫·乔布斯创立。",
    "苹果公司由史蒂夫·沃兹尼亚克创立。",
    "苹果公司创立于1976年。",
    "苹果公司总部位于加利福尼亚。",
]


def outcome(name, desk, item, **switches):
    return measured(metrics.named(name), item, desk, **switches)


def about(*contexts, **changes):
    """An item with these contexts."""
    made = tuple(Context("", "", text, n) for n, text in enumerate(contexts, 1))
    return made_item(1, contexts=made, **changes)


def test_a_chinese_sentence_with_four_facts_is_four_claims_in_chinese():
    ask = unit_kinds.of_answer("苹果公司是怎样的公司？", APPLE)
    assert ask.read({"claims": FOUR}) == FOUR
    assert APPLE in ask.user


def test_another_founder_than_the_context_names_is_not_supported():
    item = about("苹果公司由乔布斯等人于1976年创立。", answer="苹果公司由比尔·盖茨创立。")
    desk = ScriptedDesk(units={"claim": [item.answer]}, labels={"claims-in-contexts": [0]})
    assert outcome("faithfulness", desk, item).value == 0
    assert all(text in desk.asked[0].user for text in (item.answer, item.contexts[0].text))


def test_three_questions_come_back_in_one_request_each_with_whether_it_is_clear():
    texts = ["什么是向量数据库？", "它如何检索？", "它用在哪里？"]
    said = [{"question": text, "clear": True, "noncommittal": False} for text in texts]
    ask = response_relevancy.request("向量数据库以向量存储数据，按相似度检索，用于语义搜索。", 3)
    assert [(one.question, one.clear) for one in ask.read({"questions": said})] == [
        (text, True) for text in texts
    ]


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


def test_the_same_entities_on_both_sides_are_exactly_one():
    same = ["Eiffel Tower", "Paris", "France", "1889", "World's Fair"]
    desk = ScriptedDesk(units={"reference_entity": same, "context_entity": same})
    found = outcome("context_entity_recall", desk, about("…", reference=("…",)))
    assert found.value == 1


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


def test_a_judge_that_always_gives_three_is_within_one_in_92_of_100_and_knows_nothing():
    annotators = np.zeros((4, 4))
    annotators[:, 3] = [3, 5, 22, 70]
    scale = (0, 1, 2, 3)
    assert coefficients.exact(annotators) == 0.70
    assert coefficients.within(annotators, scale) == pytest.approx(0.92)
    assert coefficients.cohen_kappa(annotators, scale) == pytest.approx(0, abs=1e-12)
    assert coefficients.cohen_kappa(annotators, scale, "quadratic") == pytest.approx(0, abs=1e-12)


@pytest.mark.parametrize(
    "text",
    [
        "On a scale of 0 to 3 I give 3",
        "Step 1: I read it. Step 2: I compared. Score: 3",
        "10",
        "4 (not 0 or 2)",
    ],
)
def test_a_number_in_running_text_is_no_grade_and_never_another_number(text):
    message = {"role": "assistant", "content": text}
    reply = {"choices": [{"index": 0, "finish_reason": "stop", "message": message}]}
    verdict = parse(reply, ["correctness"], [0, 1, 2, 3, 4])["correctness"]
    assert (verdict.status, verdict.score) == ("unparsable", None)


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
