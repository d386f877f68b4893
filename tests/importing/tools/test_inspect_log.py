"""Logs that Inspect 0.3.285 wrote with its mock model (tests/interop/write_inspect.py)."""

import io
import json
import sys
import zipfile

import pytest

from concord.importing import recognition
from concord.importing.recognition import recognised
from concord.messages import Problem
from tests.support.exports import FOLDER, grades, rows


def archive(log, member=lambda sample: sample):
    """The log as an archive that every Python can read."""
    held = io.BytesIO()
    with zipfile.ZipFile(held, "w", zipfile.ZIP_DEFLATED) as file:
        header = {key: value for key, value in log.items() if key != "samples"}
        file.writestr("header.json", json.dumps(header))
        for sample in log["samples"]:
            file.writestr(f"samples/{sample['id']}_epoch_1.json", json.dumps(member(sample)))
    return held.getvalue()


def test_an_edit_that_changes_no_score_is_no_grade(log):
    for sample in log["samples"]:
        for edit in sample["scores"].get("model_graded_qa", {}).get("history", [])[1:]:
            edit["value"] = "UNCHANGED"
    found, _ = rows(json.dumps(log).encode(), "log.json")
    assert not [one for row in found for one in grades(row) if one[0] == "annotator"]


def test_an_archive_gives_the_same_answers(log):
    found, _ = rows("inspect.json")
    archived, _ = rows(archive(log), "log.eval")
    assert archived == found


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
    monkeypatch.setattr(recognition, "WHOLE_BYTES", 50_000)
    with pytest.raises(Problem, match=r"log\.eval/samples/\w+_epoch_1\.json has 0 MB in one"):
        recognised(archive(log), "log.eval")
