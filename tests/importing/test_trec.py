"""TREC files: qrels and runs are joined to questions by their ids, and every odd line is named."""

import json

import pytest

from concord.importing.readers.formats import open_table
from concord.importing.trec import joined, read_qrels, read_run
from concord.messages import Problem
from tests.support.files import written

QRELS = "q1 0 d1 1\nq1 0 d2 0\nq2 0 d9 2\nq3 0 d5 0\n"
RUN = "q1 Q0 d7 2 0.5 bm25\nq1 Q0 d1 1 0.9 bm25\nq2 Q0 d9 1 0.1 bm25\nq2 Q0 d8 2 0.4 bm25\n"
TOPICS = "q1\tFirst?\nq2\tSecond?\nq3\tThird?\nq4\tFourth?\n"


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


def test_a_table_joined_twice_is_refused(tmp_path):
    run = read_run(written(tmp_path, "run.txt", RUN))
    table = joined(open_table(TOPICS.encode(), "t.tsv"), (), None, run)
    with pytest.raises(Problem, match="already has contexts"):
        joined(table, (), None, run)
