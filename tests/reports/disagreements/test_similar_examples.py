"""What may become an example: only what is kept for examples, the likest first."""

import tomllib

import pytest

from concord.reports.disagreements import disagreement
from concord.reports.disagreements.disagreements import every, keys
from concord.reports.disagreements.similar_examples import as_toml, likeness, offered, why_none
from concord.sampling import split_assignment, splits
from concord.store import additions, items
from concord.store.rubrics import rubric_versions
from tests.support.made_items import made_item
from tests.support.panels import give, judge, panel

TEXTS = [
    ("When does the meeting start?", "It starts at nine."),
    ("When does the second meeting start?", "It starts at ten."),
    ("Who is the chair?", "Nobody knows."),
    ("When does the meeting start today?", "It starts at nine sharp."),
]


@pytest.fixture
def doc_qa(store):
    made = [
        made_item(n, question=question, answer=answer, contexts=(), reference=())
        for n, (question, answer) in enumerate(TEXTS)
    ]
    additions.add(store, "talks", made, "t.csv", "0" * 64, {})
    return rubric_versions.named(store, "doc-qa-0-3")[1]


@pytest.fixture
def missed(store, doc_qa):
    """gpt passed the first answer with 3, which Ana failed with 1."""
    give(store, doc_qa, "Ana", {0: 1, 1: 2, 2: 1, 3: 3}, reason="half")
    judge(store, doc_qa, "gpt", {0: 3})
    return lambda: disagreement.read(
        store, found := panel(store, doc_qa), keys(found, every(found))
    )


def keep(store, *places):
    questions = [row["id"] for row in splits.of_sheet(store, 1)]
    split_assignment.assign(
        store, [questions[place] for place in places], "few-shot", "for prompts"
    )


def test_only_questions_kept_for_examples_are_offered(store, doc_qa, missed):
    (one,) = missed()
    assert offered(store, panel(store, doc_qa), one) == []
    assert "few-shot pool of this sheet is empty" in why_none(store, panel(store, doc_qa))
    keep(store, 1, 2, 3)
    found = offered(store, panel(store, doc_qa), one)
    assert [given.stored.item.question for given in found] == [
        "Who is the chair?",  # the score that the judge missed
        "When does the second meeting start?",  # a point away
        "When does the meeting start today?",
    ]
    assert [given.score for given in found] == [1, 2, 3]
    assert offered(store, panel(store, doc_qa), one, 1) == found[:1]


def test_of_one_score_the_likest_text_comes_first(store, doc_qa, missed):
    give(store, doc_qa, "Ana", {1: 1, 3: 1})
    (one,) = missed()
    keep(store, 1, 2, 3)
    found = offered(store, panel(store, doc_qa), one)
    assert [items.item(store, given.stored.id).item.row for given in found] == [0, 0, 0]
    assert [given.stored.item.question_id for given in found] == ["003", "001", "002"]
    assert found[0].likeness > found[1].likeness > found[2].likeness


def test_kept_questions_without_grades_say_so(store, doc_qa):
    keep(store, 1)
    assert "Grade them first" in why_none(store, panel(store, doc_qa))


def test_likeness_reads_scripts_without_spaces():
    near, far = likeness("会议几点开始", ["会议什么时候开始", "谁是主席"])
    assert near > far
    assert likeness("会议", ["会议"])[0] == pytest.approx(1)
    assert likeness("", ["", "?!"]).tolist() == [0, 0]
    assert likeness("meeting", [""]).tolist() == [0]


def test_an_offered_answer_is_toml_for_the_rubric(store, doc_qa, missed):
    (one,) = missed()
    keep(store, 2)
    (given,) = offered(store, panel(store, doc_qa), one)
    example = tomllib.loads(f"[[criteria]]\n[[criteria.levels]]\n{as_toml(given)}")
    (shown,) = example["criteria"][0]["levels"][0]["examples"]
    assert shown == {"question": "Who is the chair?", "answer": "Nobody knows.", "why": "half"}
