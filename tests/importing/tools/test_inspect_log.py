"""Logs that Inspect 0.3.285 wrote with its mock model (tests/interop/write_inspect.py)."""

import io
import json
import sys
import zipfile

import pytest

from concord.importing.recognition import recognise
from concord.importing.recognition.recognise import recognised
from concord.messages import Problem
from tests.support.exports import FOLDER, grades, left_out, rows

JUDGE = "model_graded_qa (mockllm/grader)"


def archive(log, member=lambda sample: sample):
    """The log as an archive that every Python can read."""
    held = io.BytesIO()
    with zipfile.ZipFile(held, "w", zipfile.ZIP_DEFLATED) as file:
        header = {key: value for key, value in log.items() if key != "samples"}
        file.writestr("header.json", json.dumps(header))
        for sample in log["samples"]:
            file.writestr(f"samples/{sample['id']}_epoch_1.json", json.dumps(member(sample)))
    return held.getvalue()


def by_id(found):
    return {row["question_id"]: row for row in found}


def test_a_sample_is_an_answer_and_its_target_the_reference():
    found, _ = rows("inspect.json")
    row = by_id(found)["start"]
    assert (row["question"], row["answer"]) == ("When does the pump start?", "40 °C.")
    assert (row["reference"], row["answer_model"]) == ("40 °C", "mockllm/model")
    assert (row["item_id"], row["metadata.topic"]) == ("start epoch 1", "pump")


def test_an_edit_is_a_grade_of_its_author_and_the_judge_keeps_its_own():
    found, _ = rows("inspect.json")
    row = by_id(found)["colour"]
    assert [one for one in grades(row) if one[2] == "model_graded_qa"] == [
        ("judge", JUDGE, "model_graded_qa", "I"),
        ("annotator", "ana", "model_graded_qa", "C"),
    ]
    (edit,) = (one for one in row["grades"] if one["grader_kind"] == "annotator")
    assert (edit["reason"], edit["blind"]) == ("Blue is right, the target is old.", False)


def test_an_object_of_values_is_a_grade_of_each_criterion_and_nan_is_none():
    found, origin = rows("inspect.json")
    assert [one for one in grades(by_id(found)["stop"]) if one[1] == "style"] == [
        ("metric", "style", "tone", 4),
        ("metric", "style", "length", 2),
    ]
    # One of `style`, one of the judge, which gave no verdict.
    assert left_out(origin) == {("grades", 2, "they have no score")}


def test_an_edit_that_changes_no_score_is_no_grade(log):
    for sample in log["samples"]:
        for edit in sample["scores"].get("model_graded_qa", {}).get("history", [])[1:]:
            edit["value"] = "UNCHANGED"
    found, origin = rows(json.dumps(log).encode(), "log.json")
    assert not [one for row in found for one in grades(row) if one[0] == "annotator"]
    assert ("edits", 1, "they change no score") in left_out(origin)


def test_an_archive_gives_the_same_answers(log):
    found, _ = rows("inspect.json")
    archived, _ = rows(archive(log), "log.eval")
    assert archived == found


def test_an_archive_in_zstandard_gives_the_same_answers():
    written = {(row["item_id"], row["answer"], *grades(row)) for row in rows("inspect.json")[0]}
    found, origin = rows("inspect.eval")
    assert {(row["item_id"], row["answer"], *grades(row)) for row in found} == written
    assert left_out(origin) == left_out(rows("inspect.json")[1])


def test_without_zstandard_an_archive_is_refused_with_both_ways_to_read_it(monkeypatch):
    for name in ("compression.zstd", "backports.zstd"):
        monkeypatch.setitem(sys.modules, name, None)
    with pytest.raises(Problem, match=r"\[zstd\].*inspect log dump inspect\.eval > log\.json"):
        recognised(FOLDER / "inspect.eval")


def test_an_archive_that_unpacks_to_too_much_is_refused(log):
    log["samples"][0]["output"] = {"completion": "x" * (300 << 20)}
    with pytest.raises(Problem, match="300 MB of content"):
        recognised(archive(log), "log.eval")


def test_one_sample_that_is_too_large_is_refused_before_it_is_unpacked(log, monkeypatch):
    log["samples"][1]["output"] = {"completion": "x" * 100_000}
    monkeypatch.setattr(recognise, "WHOLE_BYTES", 50_000)
    with pytest.raises(Problem, match=r"log\.eval/samples/\w+_epoch_1\.json has 0 MB in one"):
        recognised(archive(log), "log.eval")
