"""A preview counts what an import would take and shows its first answers."""

import json

from concord.importing import answer_file
from concord.importing.sheet_import import preview
from concord.rubrics import model as rubrics

CSV = """item_id,question,answer,model,ana,gpt,context
1,Q1,A1,m,1,2,C
2,Q1,A2,n,0,,
3,Q2,A3,m,9,3,C
4,Q2,,n,8,1,
5,,A5,n,1,1,
1,Q1,A1,m,1,2,C
"""
SAID = ("score:annotator:ana:correctness=ana", "score:judge:gpt:comprehensiveness=gpt")


def test_counts_are_those_of_what_would_be_taken():
    read = answer_file.load(CSV.encode(), "s.csv", SAID, rubrics.presets()["doc-qa-0-3"])
    seen = preview(read, 2)
    assert (seen.rows, seen.answers, seen.questions, seen.folded) == (6, 4, 2, 1)
    assert seen.answer_models == {"m": 2, "n": 2}
    assert (seen.contexts, seen.references) == (2, 0)
    assert (seen.annotators, seen.judges, seen.metrics) == ({"ana": 2}, {"gpt": 3}, {})
    assert seen.grades == {"comprehensiveness": 3, "correctness": 2}
    assert seen.bad_rows == 3
    assert len(seen.faults) == 2
    assert [(one.row, one.question, one.answer, one.contexts) for one in seen.first] == [
        (1, "Q1", "A1", 1),
        (2, "Q1", "A2", 0),
    ]
    assert seen.sentence() == (
        "4 answers, 2 questions, 2 answering models, 1 annotator, 1 judge, 5 grades, 3 bad rows."
    )
    assert json.dumps(seen.as_json())


def test_long_texts_are_cut_and_put_on_one_line():
    rows = [{"question": "Q\n\nx", "answer": "word " * 10_000, "context": ["a", "b"]}]
    (one,) = preview(answer_file.load(json.dumps(rows).encode(), "s.json")).first
    assert (one.question, len(one.answer), one.contexts) == ("Q x", 201, 2)
