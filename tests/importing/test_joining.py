"""Files, worksheets and lists that are joined by an equal key."""

import json

import pytest

from concord.importing.joining import join
from concord.importing.readers.formats import open_table
from concord.messages import Problem
from concord.store import items
from tests.support.commandline import invoke
from tests.support.files import ANSWERS, QUESTIONS

SOME = range(12)


def of(result):
    assert result.exit_code == 0, result.output
    return json.loads(result.stdout)


def table(text, name="s.csv"):
    return open_table(text.encode(), name)


def rows(joined):
    return [record.cells for record in joined.records()]


def test_rows_without_a_match_and_doubled_keys_are_counted():
    left = table("id,text\n1,a\n2,b\n3,c\n,d\n")
    right = table("key,text,more\n1,x,p\n2,y,q\n2,z,r\n,w,s\n")
    joined, counts = join(left, right, "other", "id=key")
    assert joined.columns == ("id", "text", "other.text", "more")
    assert rows(joined) == [
        ("1", "a", "x", "p"), ("2", "b", "y", "q"), ("3", "c", None, None), ("", "d", None, None)
    ]  # fmt: skip
    assert (counts.rows, counts.unmatched, counts.doubled) == (4, 2, 1)
    assert rows(joined) == rows(joined)


def test_a_list_of_keys_brings_lists():
    given = {"id": 1, "found": [{"doc": "d2"}, {"doc": "d1"}, {"doc": "d9"}], "also": ["d1"]}
    left = table(json.dumps([given]), "s.json")
    right = table("doc,text\nd1,One.\nd2,Two.\n")
    for on, texts, unmatched in (
        ("found=doc", ["Two.", "One."], 1),
        ("found.{n}.doc=doc", ["Two.", "One."], 1),
        ("also=doc", ["One."], 0),
    ):
        joined, counts = join(left, right, "docs", on)
        assert (rows(joined)[0][-1], counts.unmatched) == (texts, unmatched)


def test_a_key_that_is_no_column_is_refused_with_the_columns():
    for on in ("nope", "a=nope"):
        with pytest.raises(Problem) as refused:
            join(table("a,b\n1,2\n"), table("c\n1\n"), "other", on)
        assert refused.value.code == "not_a_column"


def test_tasks_documents_and_evaluations_in_three_lists_become_answers_with_grades(
    db, store, tmp_path
):
    path = tmp_path / "three.json"
    path.write_text(json.dumps({
        "tasks": [{"task_id": f"t{n}", "input": QUESTIONS[n], "contexts": [
            {"document_id": f"d{n}"}, {"document_id": f"d{n + 1}"}]} for n in SOME],
        "documents": [{"document_id": f"d{n}", "text": f"Passage {n}."} for n in range(13)],
        "evaluations": [
            {"task_id": f"t{n}", "model_id": model, "model_response": f"{model}: {ANSWERS[n]}",
             "annotations": {"correctness": {"ana": {"value": n % 3}, "bo": {"value": n % 2}}}}
            for n in SOME for model in ("x", "y")],
    }))  # fmt: skip
    how = ["--worksheet", "evaluations", "--join", "tasks", "--on", "task_id"]
    how += ["--join", "documents", "--on", "contexts=document_id"]
    grades = "annotations.correctness.{who}.value"
    how += ["--map", f"score:annotator:{{who}}:correctness={grades}"]
    for word in ("question_id=task_id", "question=input", "answer=model_response",
                 "answer_model=model_id", "contexts=text"):  # fmt: skip
        how += ["--map", word]
    (taken,) = of(invoke(db, "import", path, *how, "--json"))["sheets"]
    assert (taken["items"], taken["grades"], taken["bad_rows"]) == (24, 48, 0)
    assert [(one["name"], one["unmatched"], one["doubled"]) for one in taken["joins"]] == [
        ("tasks", 0, 0), ("documents", 0, 0)
    ]  # fmt: skip
    item = items.item(store, 3).item
    assert (item.question, item.answer_model) == (QUESTIONS[1], "x")
    assert [one.text for one in item.contexts] == ["Passage 1.", "Passage 2."]


def test_grades_by_the_hash_of_another_file_reach_their_answers(db, tmp_path):
    answers, grades = tmp_path / "answers.csv", tmp_path / "grades.csv"
    lines = [f"h{n},{QUESTIONS[n]},{ANSWERS[n]}" for n in SOME]
    answers.write_text("\n".join(("hash,question,answer", *lines)))
    of(invoke(db, "import", answers, "--json"))
    lines = [f"h{n},ana,annotator,correctness,{n % 4}" for n in SOME]
    grades.write_text("\n".join(("hash,grader,grader_kind,criterion,score", *lines)))
    how = ("--join", answers, "--on", "hash", "--rubric", "doc-qa-0-3", "--json")
    assert of(invoke(db, "grades", grades, *how))["grades"] == 12
    assert invoke(db, "grades", grades, "--join", answers).exit_code == 2
