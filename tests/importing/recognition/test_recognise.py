"""Recognition of exports of other tools, and their tables."""

import json
import random

import pytest

from concord.importing import answer_file
from concord.importing.columns import column_map
from concord.importing.recognition.export import Document
from concord.importing.recognition.found import found_in
from concord.importing.recognition.recognise import recognised, sources
from concord.messages import Problem, is_message
from tests.support.exports import FOLDER, grades, left_out, parsed, rows


def test_every_source_says_what_it_reads():
    assert len(sources()) > 3
    for source in sources():
        assert source.title and source.marks
        assert source.of in ("answers", "grades")


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        ('{"results": {"results": [{"testIdx": 0, "testIdx": 1}]}, "evalId": 1}', "twice"),
        ('{"results": ' + "[" * 5000 + "]" * 5000 + ', "evalId": 1}', "nested too deeply"),
        (
            '{"results": {"results": [{"testIdx": 0, "promptIdx": 0, "failureReason": 2}]},'
            '"evalId": 1}',
            "nothing to import: answers: the provider returned an error. Correct it there",
        ),
    ],
)
def test_an_export_that_gives_no_answer_is_refused_with_the_reason(data, reason):
    with pytest.raises(Problem, match=reason) as told:
        recognised(data.encode(), "results.json")
    assert all(is_message(v) for k, v in str(told.value).values.items() if k == "reasons")


def test_an_export_of_another_shape_is_refused_and_not_a_crash():
    row = {"testIdx": 0, "promptIdx": 0, "vars": 3, "response": [], "gradingResult": "x"}
    data = {"results": {"results": [row]}, "evalId": 1}
    with pytest.raises(Problem):
        recognised(json.dumps(data).encode(), "results.json")


def test_grades_are_read_with_their_blindness_and_not_kept_as_text_too(rubric):
    table = recognised(FOLDER / "promptfoo.json")
    own = [w for w in table.origin.words if not w.startswith("criterion=")]
    words = [*own, f"criterion:={rubric[1].criteria[0].name}", "grader=grades.{n}.criterion"]
    read = answer_file.read(
        table, column_map(table.columns, words), rubric[1], {"0.2": 0, "0.9": 1}
    )
    people = [grade for grade in read.grades if grade.grader_kind == "person"]
    assert len(people) == 3 and all(grade.blind is False for grade in people)
    assert all(grade.blind is None for grade in read.grades if grade.grader_kind != "person")
    assert not [item for item in read.items if "grades" in item.metadata]


def test_a_field_of_the_user_replaces_that_of_the_tool():
    origin = recognised(FOLDER / "promptfoo.json").origin
    words = origin.with_words(["answer_model:=ours", "blind="])
    assert "answer_model=answer_model" not in words
    assert words[-2:] == ("answer_model:=ours", "blind=")


def test_without_a_score_all_of_the_grades_are_left_out():
    words = recognised(FOLDER / "promptfoo.json").origin.with_words(["score="])
    assert not [word for word in words if "{n}" in word]


def test_a_criterion_of_judges_may_be_that_of_annotators():
    origin = recognised(FOLDER / "promptfoo.json").origin
    assert (origin.annotated, origin.judged) == (("overall",), ("correctness", "tone"))
    assert origin.same_criteria() == ("criterion:correctness=overall", "criterion:tone=overall")
    assert recognised(FOLDER / "mlflow.json").origin.same_criteria() == ()


def test_no_source_fails_on_a_file_that_has_its_marks_and_another_shape():
    """Whatever stands under the keys that a source looks for, in place of what it expects."""
    for path in sorted(FOLDER.glob("*.json*")):
        text = path.read_text(encoding="utf-8")
        data = json.loads(text) if path.suffix == ".json" else json.loads(text.splitlines()[0])
        for other in (None, 3, "x", [], [1], {"a": 1}):
            for changed in _with(data, other):
                document = Document(path.name, changed, "json")
                for source in sources():
                    assert source.recognises(document) in (True, False)


@pytest.mark.parametrize("score", [[1], {"a": 1}, {}, "", {"a": 1, "b": 2}])
def test_what_is_no_single_value_is_no_number(score):
    data = parsed("promptfoo.json")
    changed = 0
    for row in data["results"]["results"]:
        for one in (row.get("gradingResult") or {}).get("componentResults") or []:
            if one.get("assertion", {}).get("type") == "human":
                one["score"], changed = score, changed + 1
    found, origin = rows(json.dumps(data).encode(), "results.json")
    assert not [one for row in found for one in grades(row) if one[0] == "annotator"]
    assert ("grades", changed, "they have no single value") in left_out(origin) and changed == 3


@pytest.mark.parametrize("path", sorted(FOLDER.glob("*.json")), ids=lambda path: path.stem)
def test_a_changed_export_is_read_or_refused_with_a_reason_of_its_own(path):
    """A value that is no longer what a reader expects must not make the whole file damaged."""
    chance = random.Random(path.name)
    text = path.read_text(encoding="utf-8")
    places = [*_places(json.loads(text))]
    for _ in range(80):
        data = json.loads(text)
        _change(data, chance.choice(places), chance)
        try:
            table = recognised(json.dumps(data).encode(), path.name)
            assert table is None or found_in(table)
        except Problem as problem:
            assert problem.__cause__ is None, (problem, data)


def _places(data, way=()):
    """Yield the way to every value inside."""
    inside = data.items() if isinstance(data, dict) else enumerate(data)
    for key, one in inside if isinstance(data, dict | list) else ():
        yield (*way, key)
        if isinstance(one, dict | list):
            yield from _places(one, (*way, key))


def _change(data, way, chance):
    """Replace the value at the end of a way, or remove it."""
    for key in way[:-1]:
        data = data[key]
    if chance.random() < 0.2:
        del data[way[-1]]
    else:
        others = (None, 3, -1.5, True, "x", "", [], [1], {}, {"a": 1}, [{}], [None], 10**30)
        data[way[-1]] = chance.choice(others)


def _with(data, other, levels=4):
    """Yield the value with one value near its beginning replaced."""
    yield other
    if not levels:
        return
    if isinstance(data, dict):
        for key, value in data.items():
            yield from ({**data, key: one} for one in _with(value, other, levels - 1))
    elif isinstance(data, list) and data:
        yield from ([one, *data[1:]] for one in _with(data[0], other, levels - 1))


@pytest.mark.parametrize("name", ["promptfoo.json", "promptfoo.jsonl", "langfuse_scores.csv"])
def test_an_export_in_utf_16_is_recognised(name):
    text = (FOLDER / name).read_text(encoding="utf-8")
    assert rows(text.encode("utf-16"), name) == rows(name)
