"""Files of shapes that evaluation tools write, put together at random: read or refused, no more."""

import io
import json
from collections import Counter, defaultdict

import pyarrow
import pyarrow.parquet
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from concord.importing import answer_file
from concord.importing.columns import column_map
from concord.importing.proposals.accept import as_proposed, unambiguous
from concord.importing.proposals.grade_rubric import grade_rubric
from concord.importing.proposals.propose import propose
from concord.importing.readers.formats import open_table
from concord.messages import Problem
from tests.support.annotations import ANSWERS as PROSE
from tests.support.annotations import QUESTIONS, REASON

WHO = st.sampled_from(
    ["ana", "ben", "gpt-4o", "human", "annotator_1", "tone", "quality", "", "x.y"]
)
SCORES = st.one_of(
    st.integers(0, 5),
    st.floats(0, 1),
    st.sampled_from(["good", "bad", "Useful", "4", "4,5", "", "n/a", "C", "I"]),
    st.none(),
    st.dictionaries(st.sampled_from(["0", "1", "yes"]), st.floats(0, 1), max_size=3),
)
TEXTS = st.sampled_from(["Paris", "42", "yes", "", "An answer of quite a few words.", "巴黎", None])
MESSAGES = st.lists(
    st.fixed_dictionaries({"role": st.sampled_from(["user", "assistant", "tool"]),
                           "content": TEXTS}), max_size=3,
)  # fmt: skip
GRADE = st.dictionaries(
    st.sampled_from(["name", "annotator", "model_version", "from_name", "type", "score", "value",
                     "label", "reason", "assertion", "judge_model"]),
    st.one_of(WHO, SCORES, st.fixed_dictionaries({"type": WHO})), max_size=5,
)  # fmt: skip
GRADES = st.one_of(
    SCORES,
    st.dictionaries(WHO, st.one_of(SCORES, GRADE), max_size=3),
    st.lists(st.one_of(SCORES, GRADE), max_size=3),
    st.lists(st.builds(lambda one, result: one | {"result": result}, GRADE,
                       st.lists(GRADE, max_size=2)), max_size=2),
)  # fmt: skip
ANSWER = st.one_of(TEXTS, MESSAGES, st.dictionaries(
    st.sampled_from(["text", "answer", "score", "contexts"]), st.one_of(TEXTS, GRADES), max_size=3,
))  # fmt: skip
ANSWERS = st.one_of(
    ANSWER,
    st.dictionaries(st.sampled_from(["gpt-4", "llama.3", "ours", "ana"]), ANSWER, max_size=3),
    st.lists(st.builds(lambda name, text: {"model": name, "text": text}, WHO, TEXTS), max_size=3),
)
CONTEXTS = st.one_of(TEXTS, st.lists(TEXTS, max_size=2), st.lists(st.fixed_dictionaries(
    {"output": st.fixed_dictionaries({"text": TEXTS}), "tags": st.lists(WHO, max_size=1)}),
    max_size=2))  # fmt: skip
ROW = st.dictionaries(
    st.sampled_from(["answers", "response", "output", "predictions", "annotations", "scores",
                     "gradingResult", "ctxs", "references", "messages", "gold", "instance_id"]),
    st.one_of(ANSWERS, GRADES, CONTEXTS), max_size=5,
)  # fmt: skip


@settings(max_examples=150, deadline=None)
@given(st.lists(ROW, min_size=1, max_size=4), st.integers(1, 3))
def test_any_shape_of_a_tool_is_read_as_proposed_or_refused_in_one_sentence(rows, times):
    found = [{"question": f"What is {n}?"} | row for n, row in enumerate(rows * times)]
    table = open_table(json.dumps(found).encode(), "s.json")
    assert json.dumps(propose(table).as_json())
    asked = (lambda: as_proposed(table, ()), lambda: propose(table).spoken(), tuple)
    for words in (*asked, lambda: (unambiguous(table), ())[1]):
        try:
            columns = column_map(table.columns, words())
            made = grade_rubric(table, columns, [], {})
            if made is None:
                read = answer_file.read(table, columns)
            else:
                read = answer_file.read(table, made.columns, made.fit.rubric, made.words)
        except Problem as refused:
            assert str(refused).strip()
            continue
        assert read.refusal() is None or str(read.refusal())
        assert {one.item_key for one in read.grades} <= {one.identity for one in read.items}


def nested(grades, first):
    """Scores by (grader, criterion) as dictionaries, the grader first or the criterion."""
    found = defaultdict(dict)
    for (who, criterion), score in grades.items():
        one, other = (who, criterion) if first == "who" else (criterion, who)
        found[one][other] = score
    return dict(found)


SHAPES = {
    "by grader": lambda grades: {who: score for (who, _), score in grades.items()},
    "by criterion": lambda grades: {criterion: score for (_, criterion), score in grades.items()},
    "with reasons": lambda grades: {
        who: {"score": score, "reason": REASON} for (who, _), score in grades.items()
    },
    "by grader and criterion": lambda grades: nested(grades, "who"),
    "by criterion and grader": lambda grades: nested(grades, "criterion"),
    "as a list": lambda grades: [
        {"annotator": who, "criterion": criterion, "score": score}
        for (who, criterion), score in grades.items()
    ],
}
MODELS = ["gpt-4.1", "ours v2"]
ONE_EACH = {"by grader": 1, "by criterion": 0, "with reasons": 1}


def as_json(rows):
    return open_table(json.dumps(rows).encode(), "s.json")


def as_parquet(rows):
    """As `datasets` and pandas write them: dictionaries are structs."""
    file = io.BytesIO()
    pyarrow.parquet.write_table(pyarrow.Table.from_pylist(rows), file)
    return open_table(file.getvalue(), "s.parquet")


def some(*names, at_least=1):
    return st.lists(st.sampled_from(names), min_size=at_least, max_size=3, unique=True)


@settings(max_examples=60, deadline=None)
@given(
    st.sampled_from([*SHAPES]),
    st.sampled_from(["scores", "human_scores", "ratings", "annotations"]),
    some("gpt-4.1", "ours v2", "qwen/7b"),
    some("ana", "Ben", "rater.1", "expert 2", "gpt-4o-judge", "judge", "李雷"),
    some("accuracy", "tone", "유창성"),
    st.sampled_from([as_json, as_parquet]),
    st.randoms(use_true_random=False),
)
@example(
    "by criterion",
    "human_scores",
    ["gpt-4.1", "ours v2"],
    ["ana"],
    ["accuracy", "tone"],
    as_json,
    None,
)
@example("by grader", "human_scores", MODELS, ["ana", "Ben"], ["tone"], as_parquet, None)
@example("by grader and criterion", "scores", MODELS, ["judge", "gpt-4o-judge"],
         ["accuracy", "tone"], as_json, None)  # fmt: skip
def test_each_grade_under_a_model_is_read_once_as_written(
    shape, key, models, graders, criteria, form, random
):
    if shape in ONE_EACH:
        graders, criteria = (graders, criteria[:1]) if ONE_EACH[shape] else (graders[:1], criteria)
    rows, written = [], Counter()
    for n, (question, answer) in enumerate(zip(QUESTIONS, PROSE, strict=True)):
        answers = {}
        for model in models:
            pairs = [(who, criterion) for who in graders for criterion in criteria]
            grades = {pair: random.randint(1, 5) if random else 1 + n % 5 for pair in pairs}
            answers[model] = {"text": f"{answer} So says {model}.", key: SHAPES[shape](grades)}
            written.update((model, question, score) for score in grades.values())
        rows.append({"question": question, "answers": answers})
    table = form(rows)
    try:
        columns = column_map(table.columns, as_proposed(table, ()))
        made = grade_rubric(table, columns, [], {})
    except Problem as refused:
        assert "placeholder" not in str(refused)
        return
    if made is None:
        return
    read = answer_file.read(table, made.columns, made.fit.rubric, made.words)
    asked = {item.identity: item.question for item in read.items}
    found = Counter((one.answer_model, asked[one.item_key], one.score) for one in read.grades)
    assert found <= written
    assert found == written or read.bad_rows


def test_a_single_answering_model_is_no_judge():
    rows = [
        {"question": question,
         "answers": {"gpt-4.1": {"text": answer, "ratings": {"Ben": n % 5, "judge": 3}}}}
        for n, (question, answer) in enumerate(zip(QUESTIONS, PROSE, strict=True))
    ]  # fmt: skip
    table = open_table(json.dumps(rows).encode(), "s.json")
    word = "score:annotator:Ben:overall=answers.gpt-4.1.ratings.Ben"
    columns = column_map(table.columns, as_proposed(table, [word]))
    read = answer_file.read(table, columns, grade_rubric(table, columns, [], {}).fit.rubric)
    assert {one.answer_model for one in read.items} == {"gpt-4.1"}
    assert {(one.grader_kind, one.grader) for one in read.grades} == {
        ("person", "Ben"), ("judge", "judge"),
    }  # fmt: skip


def test_what_seems_to_hold_grades_and_is_not_read_is_named():
    rows = [
        {
            "question": question,
            "answer": answer,
            "ratings": {"Ben": {"tone": [{"given": n}, {"given": 1}]}},
        }
        for n, (question, answer) in enumerate(zip(QUESTIONS, PROSE, strict=True))
    ]
    table = open_table(json.dumps({"of": rows}).encode(), "s.json")
    (doubt,) = propose(table).doubts
    assert doubt.field == "score"


def test_annotators_and_judges_in_one_list_are_named_where_nothing_tells_them_apart():
    grades = [{"annotator": who, "score": 3} for who in ("ana", "llm_judge")]
    rows = [
        {"question": question, "answer": answer, "grades": grades}
        for question, answer in zip(QUESTIONS, PROSE, strict=True)
    ]
    table = open_table(json.dumps(rows).encode(), "s.json")
    with pytest.raises(Problem, match=r"^grades "):
        as_proposed(table, ())
