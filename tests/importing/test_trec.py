"""TREC files: qrels and runs are joined to questions by their ids, and every odd line is named."""

import json

import pytest

from concord.importing import answer_file
from concord.importing.readers.formats import open_table
from concord.importing.trec import joined, read_qrels, read_run
from concord.messages import Problem, is_message
from concord.store import items as store_items
from concord.store import sheets
from tests.support.commandline import invoke
from tests.support.files import written
from tests.support.scripted_desk import value

QRELS = "q1 0 d1 1\nq1 0 d2 0\nq2 0 d9 2\nq3 0 d5 0\n"
RUN = "q1 Q0 d7 2 0.5 bm25\nq1 Q0 d1 1 0.9 bm25\nq2 Q0 d9 1 0.1 bm25\nq2 Q0 d8 2 0.4 bm25\n"
TOPICS = "q1\tFirst?\nq2\tSecond?\nq3\tThird?\nq4\tFourth?\n"


def test_a_run_and_qrels_make_a_sheet_of_the_questions(tmp_path, store):
    qrels, run = written(tmp_path, "qrels.txt", QRELS), written(tmp_path, "run.txt", RUN)
    said = ("--qrels", qrels, "--run", run, "--sheet", "trec", "--json")
    found = invoke(store.path, "import", written(tmp_path, "topics.tsv", TOPICS), *said)
    assert json.loads(found.stdout)["sheets"][0]["items"] == 4
    assert (
        "qrels.txt: 3 questions matched, 0 not in the sheet; 1 of the sheet not matched."
    ) in found.stderr
    assert "order 1 question differently" in found.stderr
    held = sheets.find(store, "trec")
    items = [s.item for s in store_items.items(store, store_items.item_ids(store, held.id))]
    assert [item.question for item in items] == ["First?", "Second?", "Third?", "Fourth?"]
    assert [context.doc_id for context in items[0].contexts] == ["d1", "d7"]
    assert {(item.answer, item.answer_model) for item in items} == {("", "bm25")}
    assert [value("mrr", item) for item in items[:2]] == [1, 1]
    assert items[2].metadata["relevant_ids"] == [] and "relevant_ids" not in items[3].metadata
    assert items[2].contexts == ()


def test_the_least_relevance_that_counts_can_be_said(tmp_path):
    path = written(tmp_path, "q.txt", QRELS)
    assert read_qrels(path).relevant == {"q1": ["d1"], "q2": ["d9"], "q3": []}
    assert read_qrels(path, 2).relevant == {"q1": [], "q2": ["d9"], "q3": []}


def test_what_was_lacking_is_found_once_it_is_told(tmp_path, run):
    rows = 'question_id,question,answer,contexts,retrieved_doc_ids\nq1,Q,A,"[""x""]","[""d1""]"\n'
    answers, qrels = written(tmp_path, "a.csv", rows), written(tmp_path, "q.txt", QRELS)
    run("import", answers)
    run("judge", "computed", "--metrics", "mrr")
    run("import", answers, "--qrels", qrels)
    run("judge", "computed", "--metrics", "mrr", "--retry-unscored")
    (row,) = json.loads(run("metrics", "--sheet", "a", "--json").output)["rows"]
    assert (row["n"], row["mean"]) == (1, 1.0)


def test_qrels_are_told_to_a_sheet_that_is_there(tmp_path, store):
    answers = written(tmp_path, "a.csv", "question_id,question,answer\nq1,First?,A\nq9,Ninth?,B\n")
    assert invoke(store.path, "import", answers).exit_code == 0
    qrels = written(tmp_path, "qrels.txt", QRELS)
    told = invoke(store.path, "import", answers, "--qrels", qrels)
    assert "1 answer extended, 1 row already stored" in told.output
    (first, second) = store_items.items(
        store, store_items.item_ids(store, sheets.find(store, "a").id)
    )
    assert (first.item.relevant_ids, second.item.metadata) == (("d1",), {})
    other = written(tmp_path, "other.txt", "q1 0 d2 1\n")
    refused = invoke(store.path, "import", answers, "--qrels", other)
    assert refused.exit_code == 2 and "another relevant_ids" in refused.output
    assert "nothing changed" in invoke(store.path, "import", answers, "--qrels", qrels).output


@pytest.mark.parametrize(
    ("read", "text", "words"),
    [
        (read_qrels, "q1 0 d1\n", "Line 1 of x.txt has 3 columns, not four: question"),
        (read_qrels, "q1 0 d1 1\nq1 0 d1 0\n", "Line 2 of x.txt: document d1 has relevance 0"),
        (read_qrels, "q1 0 d1 yes\n", "the relevance “yes” is not a number"),
        (read_qrels, "<html>", "Save the data as plain text"),
        (read_run, "q1 Q0 d1 1 0.5\n", "has 5 columns, not six: question"),
        (read_run, "q1 Q0 d1 1 0.5 a\nq1 Q0 d2 2 0.4 b\n", "Line 2 of x.txt belongs to the run b"),
    ],
)
def test_a_line_that_is_none_is_named(tmp_path, read, text, words):
    with pytest.raises(Problem, match=words) as refused:
        read(written(tmp_path, "x.txt", text))
    said = refused.value.args[0].values
    assert all(is_message(said[name]) for name in ("form", "what") if name in said)


def test_files_that_share_no_question_are_not_joined(tmp_path):
    qrels = read_qrels(written(tmp_path, "q.txt", "z1 0 d1 1\n"))
    with pytest.raises(Problem, match="such as z1, the sheet has ids such as q1"):
        answer_file.load(b"question_id,question,answer\nq1,Q,A\n", "a.csv", qrels=qrels)
    with pytest.raises(Problem, match="--map question_id=COLUMN"):
        answer_file.load(b"question,answer\nQ,A\n", "a.csv", qrels=qrels)


def test_questions_as_beir_has_them_are_known(tmp_path):
    run = read_run(written(tmp_path, "run.txt", RUN))
    read = answer_file.load(b'{"_id": "q1", "text": "First?", "metadata": {}}', "t.jsonl", run=run)
    assert (read.items[0].question_id, read.items[0].question) == ("q1", "First?")
    assert (
        read.table.joins[0]
        == "run.txt: 1 question matched, 1 not in the sheet; 0 of the sheet not matched."
    )


def test_a_table_joined_twice_is_refused(tmp_path):
    run = read_run(written(tmp_path, "run.txt", RUN))
    table = joined(open_table(TOPICS.encode(), "t.tsv"), (), None, run)
    with pytest.raises(Problem, match="already has contexts"):
        joined(table, (), None, run)
