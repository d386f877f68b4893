"""Exports: every table is there, nothing is respelled, and what goes out comes in again."""

import csv
import json

import pandas as pd
import pyarrow.parquet
import pytest

from concord.exporting import exported_tables
from concord.importing import answer_file, grade_file, sheet_import
from concord.messages import Problem
from concord.reports import export as report
from concord.rubrics.model import load
from concord.store import items, permissions, sheets
from tests.support.panels import give, judge


def rows_of(path) -> list[dict]:
    with path.open(encoding="utf-8-sig", newline="") as file:
        return list(csv.DictReader(file))


def test_every_table_is_exported_whole(store, graded_odd, tmp_path):
    exported_tables.export(store, tmp_path / "out", every=True)
    names = {*store.column("select name from sqlite_master where type = 'table'")}
    renamed = {"grades": "grade_history"}
    for name in names - {"settings", "answer_texts", *permissions.SECRET}:
        stem = tmp_path / "out" / renamed.get(name, name)
        count = store.value(f"select count(*) from {name}")
        if not count and name not in ("items", "unit_grades"):
            assert not stem.with_suffix(".csv").exists()
            continue
        assert len(rows_of(stem.with_suffix(".csv"))) == count, name
        assert pyarrow.parquet.read_table(stem.with_suffix(".parquet")).num_rows == count, name


@pytest.mark.parametrize("ending", ["csv", "parquet"])
def test_taking_an_export_in_where_it_came_from_changes_nothing(
    store, odd, graded_odd, rubric, tmp_path, ending
):
    exported_tables.export(store, tmp_path / "out", every=True)
    read = answer_file.load(tmp_path / "out" / f"items.{ending}")
    assert sheet_import.take_sheet(store, read, "odd").items_unchanged == 4
    known = items.item_keys(store, odd.id)
    graded_there = grade_file.load(
        tmp_path / "out" / f"grades.{ending}", rubric=rubric[1], known=known
    )
    taken = sheet_import.take_grades(store, odd, graded_there, rubric[1])
    assert (taken.grades, taken.grades_unchanged, taken.conflicts) == (0, 7, [])


def test_one_sheet_goes_out_without_the_others(store, sheet, odd, graded_odd, tmp_path):
    exported_tables.export(store, tmp_path / "out", sheets.find(store, "numbers"), every=True)
    assert {row["sheet"] for row in rows_of(tmp_path / "out" / "items.csv")} == {"numbers"}
    assert len(rows_of(tmp_path / "out" / "items.csv")) == 36
    assert rows_of(tmp_path / "out" / "grades.csv") == []
    assert not (tmp_path / "out" / "grade_history.csv").exists()
    assert [row["name"] for row in rows_of(tmp_path / "out" / "sheets.csv")] == ["numbers"]
    assert [r["sheet_id"] for r in rows_of(tmp_path / "out" / "imports.csv")] == [str(sheet.id)]


def test_older_contents_of_a_rubric_go_out_beside_the_newest(store, rubric, tmp_path):
    from concord.rubrics.model import Rubric
    from concord.store.rubrics import rubric_versions

    body = rubric[1].model_dump() | {"title": "Newer"}
    rubric_versions.register(store, Rubric.model_validate(body), "app")
    exported_tables.export(store, tmp_path / "out", every=True)
    files = sorted((tmp_path / "out" / "rubrics").iterdir())
    assert [load(file).title for file in files] == [rubric[1].title, "Newer"]
    assert files[1].name == "doc-qa-0-3.toml"


@pytest.mark.parametrize("there", ["file", "full folder"])
def test_nothing_is_written_over(store, tmp_path, there):
    target = tmp_path / "out"
    if there == "file":
        target.write_text("mine")
    else:
        target.mkdir()
        (target / "mine.txt").write_text("mine")
    with pytest.raises(Problem):
        exported_tables.export(store, target)
    assert (target if there == "file" else target / "mine.txt").read_text() == "mine"


def test_every_figure_of_the_report_is_one_row_of_a_table(sample_store, tmp_path):
    report.write(sample_store, tmp_path, sheets.all_sheets(sample_store), every=True)
    figures = pd.read_csv(tmp_path / "agreement.csv", encoding="utf-8-sig")
    agreed = json.loads((tmp_path / "agreement.json").read_text(encoding="utf-8"))
    places = {(row["sheet"], row["rubric"]) for rows in agreed.values() for row in rows}
    assert places == {("sample", "doc-qa-0-3")}
    row = agreed["rows"][0]
    mine = figures[(figures["judge"] == row["judge"]) & figures["answer_model"].isna()]
    mine = mine[mine["criterion"] == row["criterion"]].set_index(["of", "figure"])
    assert mine.loc[("judge", "qwk"), "value"] == pytest.approx(row["qwk"]["value"])
    assert mine.loc[("annotators", "exact"), "low"] == pytest.approx(row["ceiling"]["exact"]["low"])
    assert mine.loc[("annotators", "bias"), "why_none"] == row["ceiling"]["bias"]["why_none"]


OF_BYTES = {
    ("sheets", "name"): "73ff41",
    ("questions", "text"): "71ff41",
    ("questions", "cluster"): "63ff41",
    ("items", "answer"): "61ff41",
    ("items", "answer_model"): "6dff41",
    ("items", "contexts"): '[{"id": null, "doc_id": null, "text": "\udcff", "rank": 1}]',
    ("items", "metadata"): '{"team": "\udcff"}',
    ("graders", "name"): "67ff41",
    ("grades", "reason"): "72ff41",
}


@pytest.mark.parametrize(("table", "column"), OF_BYTES)
def test_an_export_is_made_also_of_texts_that_are_no_utf8(
    store, four, rubric, run, tmp_path, table, column
):
    give(store, rubric[1], "Ana", {0: 0, 1: 1, 2: 3}, reason="why")
    judge(store, rubric[1], "gpt", {0: 3, 1: 3, 2: 3})
    text = OF_BYTES[table, column]
    held = text.encode(errors="surrogateescape") if text[0] in "[{" else bytes.fromhex(text)
    with store.write():
        store.execute(f"update {table} set {column} = cast(? as text) where id = 1", (held,))
    run("export", "--all", tmp_path / "out")
    kept = pyarrow.parquet.read_table(tmp_path / "out" / f"{_FILES.get(table, table)}.parquet")
    assert r"\xff" in kept[column][0].as_py()
    assert (tmp_path / "out" / "agreement.json").exists()


_FILES = {"grades": "grade_history"}


def test_a_rubric_that_is_no_utf8_is_exported_too(store, graded_odd, run, tmp_path):
    with store.write():
        store.execute(
            "update rubrics set body = replace(body, 'Incorrect', cast(x'ff' as text))"
            " where name = 'doc-qa-0-3'"
        )
    run("export", "--all", tmp_path / "out")
    assert "\N{REPLACEMENT CHARACTER}: " in (
        tmp_path / "out" / "rubrics" / "doc-qa-0-3.toml"
    ).read_text(encoding="utf-8")


def test_answers_of_an_unknown_model_among_others_are_exported_and_ranked(
    store, graded_odd, run, tmp_path
):
    for verb in ("ranking", "agreement", "annotators", "disagreements"):
        run(verb)
    run("export", "--all", tmp_path / "out")
    assert (tmp_path / "out" / "ranking.json").exists()
