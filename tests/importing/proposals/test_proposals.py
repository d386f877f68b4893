"""Results of evaluation tools: the answers and grades that are proposed for them, and read."""

import datetime
import io
import json
import re
from collections import Counter, defaultdict

import openpyxl
import pyarrow
import pyarrow.parquet
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from concord.importing import answer_file
from concord.importing.columns import column_map
from concord.importing.default_rubric import grade_rubric
from concord.importing.proposals.accept import as_proposed, unambiguous
from concord.importing.proposals.propose import propose
from concord.importing.readers.formats import open_table
from concord.messages import Problem
from concord.text import rating_words
from tests.support.files import ANSWERS, QUESTIONS, REASON
from tests.support.files import ANSWERS as PROSE

ROWS = range(12)


def taken(found):
    """What is proposed, and what is imported so: answers, and grades by kind and grader."""
    table = open_table(json.dumps(found).encode(), "results.json")
    proposal = propose(table)
    columns = column_map(table.columns, proposal.spoken())
    made = grade_rubric(table, columns, [], {})
    if made is None:
        return proposal, answer_file.read(table, columns), {}
    read = answer_file.read(table, made.columns, made.fit.rubric, made.words)
    by_grader: dict = {}
    for one in read.grades:
        by_grader.setdefault((one.grader_kind, one.grader, one.criterion), []).append(one.score)
    return proposal, read, by_grader


def component(kind, score, reason=REASON):
    return {"pass": bool(score), "score": score, "reason": reason, "assertion": {"type": kind}}


def test_components_of_promptfoo_are_graded_by_judges_metrics_and_the_annotator():
    results = [
        {
            "id": f"r{n}", "vars": {"question": QUESTIONS[n]}, "response": {"output": ANSWERS[n]},
            "score": n % 2, "success": bool(n % 2), "latencyMs": n,
            "testCase": {"assert": [{"type": "llm-rubric", "value": "good"},
                                    {"type": "contains", "value": "bad"}]},
            "gradingResult": {
                "pass": bool(n % 2), "score": n % 2, "reason": REASON,
                "componentResults": [component("llm-rubric", n % 2),
                                     component("not-contains", 1), component("human", n % 3 % 2)],
            },
        }
        for n in ROWS
    ]  # fmt: skip
    proposal, read, grades = taken({"results": {"version": 3, "results": results}})
    assert not read.bad_rows
    totals = {column for doubt in proposal.doubts for column in doubt.columns}
    assert (proposal.grades, "gradingResult.score" in totals) == ((), True)
    assert grades == {
        ("judge", "llm-rubric", "overall"): [n % 2 for n in ROWS],
        ("metric", "not-contains", "overall"): [1] * 12,
        ("person", "human", "overall"): [n % 3 % 2 for n in ROWS],
    }
    assert {one.reason for one in read.grades} == {REASON}


@pytest.mark.parametrize(("letters", "scores"), [("IC", (0, 1)), ("IPC", (0, 1, 2))])
def test_letters_of_inspect_are_scores_of_its_scorers(letters, scores):
    def scorer(n):
        return {
            "value": letters[n % len(letters)],
            "answer": ANSWERS[n % 12],
            "explanation": REASON,
        }

    samples = [
        {"id": n, "input": QUESTIONS[n], "target": f"Things in place {n} of the list.",
         "output": {"model": "m", "completion": ANSWERS[n]},
         "model_usage": {"openai/gpt-4o": {"input_tokens": 20, "output_tokens": 30}},
         "scores": {"model_graded_qa": scorer(n), "human": scorer(n + 1)}}
        for n in ROWS
    ]  # fmt: skip
    _, read, grades = taken({"status": "success", "samples": samples})
    assert [one.answer for one in read.items] == ANSWERS
    assert grades == {
        ("judge", "model_graded_qa", "overall"): [scores[n % len(scores)] for n in ROWS],
        ("person", "human", "overall"): [scores[(n + 1) % len(scores)] for n in ROWS],
    }
    for sample in samples:
        del sample["scores"]["human"]
    proposal, read, grades = taken({"status": "success", "samples": samples})
    assert proposal.doubts == ()
    assert [(one.answer, one.answer_model) for one in read.items] == [(a, "m") for a in ANSWERS]
    assert {kind for kind, _, _ in grades} == {"judge"}


def test_letters_beside_other_letters_are_no_scores_of_inspect():
    assert set(rating_words.rated(["A", "B", "C"]).scores.values()) == {None}
    assert rating_words.rated(["C", "I", "N"]).scores == {"C": 1, "I": 0, "N": 0}


def promptfoo(*types):
    results = [
        {
            "vars": {"question": QUESTIONS[n]}, "response": {"output": ANSWERS[n]},
            "score": n % 2, "success": bool(n % 2),
            "gradingResult": {"pass": bool(n % 2), "score": n % 2,
                              "componentResults": [component(one, n % 2) for one in types]},
        }
        for n in ROWS
    ]  # fmt: skip
    return {"results": {"results": results}}


def test_newer_assertions_of_promptfoo_are_of_a_judge_or_computed():
    types = ("promptfoo:redteam:harmful", "agent-rubric", "finish-reason", "human")
    _, read, grades = taken(promptfoo(*types))
    assert not read.bad_rows
    assert {(kind, who) for kind, who, _ in grades} == {
        ("judge", types[0]), ("judge", types[1]), ("metric", types[2]), ("person", "human"),
    }  # fmt: skip


def test_of_an_unknown_assertion_nothing_is_taken():
    table = open_table(json.dumps(promptfoo("llm-rubric", "own-test")).encode(), "results.json")
    assert propose(table).grades == ()
    with pytest.raises(Problem):
        as_proposed(table, ())


def test_answers_of_two_kinds_under_keys_are_refused_with_an_example_that_settles_it():
    rows = [
        {"question": QUESTIONS[n],
         "answers": {"gpt-4o": ANSWERS[n], "claude": f"{ANSWERS[n]} So it is."},
         "responses": {"gpt-4o": f"No: {ANSWERS[n]}", "claude": f"Well, {ANSWERS[n]}"}}
        for n in ROWS
    ]  # fmt: skip
    table = open_table(json.dumps(rows).encode(), "answers.json")
    with pytest.raises(Problem) as raised:
        as_proposed(table, ())
    (word,) = re.findall('"(.*?)"', str(raised.value))
    read = answer_file.read(table, column_map(table.columns, as_proposed(table, [word])))
    assert {one.answer_model for one in read.items} == {"gpt-4o", "claude"}


def test_a_log_of_inspect_gives_its_scores_once_and_its_messages_are_no_earlier_turns():
    def score(n):
        return {"value": n % 5 + 1, "explanation": REASON}

    samples = [
        {"id": n, "input": QUESTIONS[n], "output": {"completion": ANSWERS[n]},
         "messages": [{"role": "user", "content": QUESTIONS[n]},
                      {"role": "assistant", "content": ANSWERS[n]}],
         "scores": {"judge_quality": score(n), "human_ana": score(n), "human_ben": score(n + 1)},
         "events": [{"name": f"{who}", "event": "score", "score": score(n),
                     "model": "m"} for who in ("judge_quality", "human_ana")]}
        for n in ROWS
    ]  # fmt: skip
    _, read, grades = taken({"samples": samples})
    assert {one.turns for one in read.items} == {None}
    assert {key: len(found) for key, found in grades.items()} == {
        ("judge", "judge_quality", "overall"): 12,
        ("person", "human_ana", "overall"): 12,
        ("person", "human_ben", "overall"): 12,
    }


def test_scorers_of_different_scales_are_named_and_none_is_taken():
    samples = [
        {"id": n, "input": QUESTIONS[n], "output": {"completion": ANSWERS[n]},
         "scores": {"model_graded_qa": {"value": "CI"[n % 2], "explanation": REASON},
                    "helpfulness": {"value": n % 5 + 1, "explanation": REASON}}}
        for n in ROWS
    ]  # fmt: skip
    table = open_table(json.dumps({"samples": samples}).encode(), "results.json")
    with pytest.raises(Problem, match=r"different scales.*score:judge:model_graded_qa:overall="):
        as_proposed(table, ())
    word = "score:judge:model_graded_qa:overall=scores.model_graded_qa.value"
    columns = column_map(table.columns, as_proposed(table, [word], ["scores.helpfulness.value"]))
    made = grade_rubric(table, columns, [], {})
    read = answer_file.read(table, made.columns, made.fit.rubric, made.words)
    assert [one.score for one in read.grades] == [1 - n % 2 for n in ROWS]


def test_grades_of_one_of_several_answers_of_a_row_are_named():
    rows = [
        {"question": QUESTIONS[n],
         "answers": {"m1": {"text": ANSWERS[n]}, "m2": {"text": ANSWERS[-n]}},
         "ratings": [{"annotator": who, "model": model, "score": n % 5}
                     for who in ("ana", "ben") for model in ("m1", "m2")]}
        for n in ROWS
    ]  # fmt: skip
    table = open_table(json.dumps(rows).encode(), "results.json")
    with pytest.raises(Problem, match=r"^ratings \(score\): the row has several answers"):
        as_proposed(table, ())


def test_a_provider_that_is_labelled_twice_is_two_answering_models():
    rows = [
        {"vars": {"question": QUESTIONS[n]}, "response": {"output": f"{ANSWERS[n]} {label}"},
         "provider": {"id": "echo", "label": label}}
        for n in ROWS for label in ("new", "old")
    ]  # fmt: skip
    _, read, _ = taken({"results": {"results": rows}})
    assert {one.answer_model for one in read.items} == {"new", "old"}


def test_completions_as_messages_and_a_critique_under_its_judge():
    rows = [
        {"prompt": [{"role": "user", "content": QUESTIONS[n]}],
         "completion": [{"role": "assistant", "content": ANSWERS[n]}], "generator": "ab"[n % 2],
         "ratings": [{"annotator": who, "rating": str(n % 5)} for who in ("ana", "ben")],
         "critique": {"overall_score": n % 4, "judge_model": "gpt-4o"}}
        for n in ROWS
    ]  # fmt: skip
    _, read, grades = taken(rows)
    assert [(one.answer, one.answer_model) for one in read.items] == [
        (ANSWERS[n], "ab"[n % 2]) for n in ROWS
    ]
    assert {(kind, who) for kind, who, _ in grades} == {
        ("judge", "gpt-4o"), ("person", "ana"), ("person", "ben"),
    }  # fmt: skip


def test_lists_of_tasks_in_a_list_are_read_as_one():
    rows = [{"question": QUESTIONS[n], "answer": ANSWERS[n]} for n in ROWS]
    _, read, _ = taken([rows[:5], rows[5:]])
    assert [one.answer for one in read.items] == ANSWERS


def test_reasons_beside_the_scores_of_an_annotator_and_a_judge_go_to_the_right_one():
    marks = {"human": "said Ana", "llm_judge": "said the judge"}
    rows = [
        {
            "question": QUESTIONS[n],
            "answers": {
                model: {
                    "text": f"{ANSWERS[n]} {model}",
                    "evaluation": {
                        who: {"score": n % 5 + 1, "reason": f"{reason} of {model} in row {n}"}
                        for who, reason in marks.items()
                    },
                }
                for model in ("alpha", "beta")
            },
        }
        for n in ROWS
    ]  # fmt: skip
    proposal, read, grades = taken(rows)
    assert "reason=answers.{answer_model}.evaluation.{grader}.reason" in proposal.spoken()
    assert (len(read.items), read.bad_rows, {k: len(v) for k, v in grades.items()}) == (
        24, [], {("person", "human", "overall"): 24, ("judge", "llm_judge", "overall"): 24},
    )  # fmt: skip
    for grade in read.grades:
        said = f"{marks[grade.grader]} of {grade.answer_model} in row {grade.row - 1}"
        assert grade.reason == said


ROWS_OF_PROPOSALS_CARELESS = range(len(QUESTIONS))


def taken_of_proposals_careless(table, words=()):
    columns = column_map(table.columns, as_proposed(table, words))
    made = grade_rubric(table, columns, [], {})
    return answer_file.read(table, made.columns, made.fit.rubric, made.words)


def grades(read):
    return {(one.grader, one.criterion, one.score) for one in read.grades}


def workbook(rows):
    book, file = openpyxl.Workbook(), io.BytesIO()
    for row in rows:
        book.active.append(row)
    book.save(file)
    return open_table(file.getvalue(), "Evaluation.xlsx")


CELLS = {
    "whole": lambda score: score,
    "floats": lambda score: float(score),
    "words": lambda score: ("bad", "ok", "good")[score],
    "booleans": lambda score: score == 1,
}


@settings(max_examples=40, deadline=None)
@given(
    st.integers(0, 2),
    st.lists(st.sampled_from(["rater_1", "rater_2", "expert 2", "judge", "gpt-4o"]),
             min_size=1, max_size=3, unique=True),
    st.sampled_from([*CELLS]),
    st.booleans(),
    st.sampled_from([(), ("Average", 2.5)]),
    st.randoms(use_true_random=False),
)  # fmt: skip
def test_a_workbook_is_read_as_written_or_refused_in_a_sentence(
    titles, graders, kind, has_dates, totals, random
):
    head = ("Question", "Answer", *graders, *(["Date"] if has_dates else []))
    rows, written = [], Counter()
    for question, answer in zip(QUESTIONS, ANSWERS, strict=True):
        n, most = len(rows), 2 if kind == "booleans" else 3
        scores = [n % 3 % most if n < 3 else random.randrange(most) for _ in graders]
        blank = random.randrange(len(graders) * 4) if n > 2 else -1
        cells = [None if n == blank else CELLS[kind](score) for n, score in enumerate(scores)]
        written.update((question, s) for n, s in enumerate(scores) if n != blank)
        dates = [datetime.datetime(2026, 5, 1 + len(rows))] if has_dates else []
        rows.append((question, answer, *cells, *dates))
    last = [(totals[0], None, *[totals[1]] * len(graders))] if totals else []
    table = workbook([("Evaluation of May",)] * titles + [head, *rows, *last])
    try:
        read = taken_of_proposals_careless(table)
    except Problem as refused:
        assert str(refused).strip()
        return
    asked = {item.identity: item.question for item in read.items}
    assert Counter(asked.values()) == Counter(QUESTIONS)
    assert Counter((asked[one.item_key], one.score) for one in read.grades) == written
    judges = {one.grader for one in read.grades if one.grader_kind == "judge"}
    assert judges <= {"judge", "gpt-4o"}


def test_a_question_may_be_a_word_of_totals_where_it_has_an_answer():
    rows = [
        (QUESTIONS[n] if n else "Mean", ANSWERS[n], n % 4, 3) for n in ROWS_OF_PROPOSALS_CARELESS
    ]
    read = taken_of_proposals_careless(
        workbook([("Question", "Answer", "rater_1", "rater_2"), *rows])
    )
    assert len(read.items) == len(ROWS_OF_PROPOSALS_CARELESS)
    assert not read.bad_rows


def test_a_column_of_reference_numbers_is_the_id_and_no_reference_answer():
    rows = [(f"K-{n}", QUESTIONS[n], ANSWERS[n], n % 4 + 1) for n in ROWS_OF_PROPOSALS_CARELESS]
    read = taken_of_proposals_careless(workbook([("Ref #", "Question", "Answer", "Rater"), *rows]))
    assert [item.own_id for item in read.items] == [f"K-{n}" for n in ROWS_OF_PROPOSALS_CARELESS]
    assert not any(item.reference for item in read.items)


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
ANSWERS_OF_PROPOSALS_NESTED = st.one_of(
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
    st.one_of(ANSWERS_OF_PROPOSALS_NESTED, GRADES, CONTEXTS), max_size=5,
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
