"""The lead makes files for annotators without access on the screen of grading sets."""

import io
import zipfile

from concord.grading import grading_sets
from concord.grading.offline import packages
from tests.support.screens import opened


def test_files_are_made_for_named_annotators_and_offered_as_one_archive(
    store, four, rubric, monkeypatch
):
    made = grading_sets.create(store, four.id, rubric[0], "Team", None, 1, 6, 0.0)
    key = f"packs.{made.id}"
    app = opened(monkeypatch, store.path, "pages/annotate.py")
    assert app.button(key=f"{key}.make").disabled
    app.multiselect(key=f"{key}.names").set_value(["漢字", "Bo"]).run()
    app.button(key=f"{key}.make").click().run()
    assert not app.exception and not app.error
    name, content, notes = app.session_state[f"{key}.made"]
    held = zipfile.ZipFile(io.BytesIO(content)).namelist()
    assert (name, notes, len(held)) == ("Team.zip", [], 5)
    assert "Team - 漢字.xlsx" in held and "Team rubric.toml" in held
    assert [one.grader for one, rows, back in packages.of_set(store, made.id) if rows == 4] == [
        "漢字",
        "Bo",
    ]
    assert "Bo, created on " in " ".join(caption.value for caption in app.caption)
