"""Langfuse scores, built from its documented schemas: no server wrote these files."""

import json

import pytest

from concord.importing.recognition.recognise import recognised
from tests.support.exports import left_out, parsed, rows


def given(found):
    names = ("item_id", "grader_kind", "grader", "criterion", "score", "blind")
    return [tuple(row[name] for name in names) for row in found]


def test_the_scores_of_v3_are_grades_of_people_and_judges():
    found, origin = rows("langfuse_scores_v3.json")
    assert origin.of == "grades"
    assert given(found) == [
        ("t1", "annotator", "u-ana", "correctness", "good", "false"),
        ("t1", "judge", "Langfuse (gpt-4.1-mini)", "correctness", "good", None),
        ("t2", "annotator", "u-bo", "correctness", "bad", "false"),
        ("t2", "judge", "API", "correctness", "0.4", None),
        ("t1", "judge", "API", "grounded", "true", None),
    ]
    assert left_out(origin) == {
        ("scores", 2, "they are texts or corrections, not grades"),
        ("scores", 1, "they belong to no trace or observation"),
    }


def test_the_export_of_scores_names_authors_and_observations():
    found, _ = rows("langfuse_scores.csv")
    assert given(found) == [
        ("t1", "annotator", "Ana", "correctness", "2", "false"),
        ("t1", "judge", "Langfuse", "correctness", "3", None),
        ("o7", "annotator", "Bo", "correctness", "0", "false"),
        ("t2", "judge", "API", "grounded", "true", None),
    ]
    assert found[2]["trace_id"] == "t2"


def test_lines_of_json_are_read_as_a_list():
    scores = parsed("langfuse_scores_v3.json")["data"]
    found, _ = rows("\n".join(map(json.dumps, scores)).encode(), "scores.jsonl")
    assert len(found) == 5


@pytest.mark.parametrize(
    "text", ["id,source,value,dataType\n1,a,2,b\n", "source,value\nx,dataType\n"]
)
def test_a_table_with_some_of_the_columns_is_no_export(text):
    assert recognised(text.encode(), "a.csv") is None
