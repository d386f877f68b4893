"""The lists of an export come in with its verdicts, and only where an answer has none."""

import csv
import json

import pytest

from concord.exporting import tables
from concord.importing.import_errors import faults
from concord.importing.readers.table import BadRow
from concord.model import Cell
from concord.store import additions, import_undo, items, sheets
from concord.store.database import open_store
from concord.store.units import units
from tests.support.commandline import invoke
from tests.support.made_items import made_item
from tests.support.unit_verdicts import HELD

LISTS = (
    "select i.own_id, d.kind, u.text, u.position, p.text as parent, g.name, g.fingerprint"
    " from decompositions d join decomposition_units n on n.decomposition_id = d.id"
    " join units u on u.id = n.unit_id left join units p on p.id = u.parent_id"
    " join items i on i.id = d.item_id left join graders g on g.id = d.decomposer_id"
    " where d.kind = 'claim' order by i.own_id, d.id, n.place"
)


@pytest.fixture
def out(store, labelled, tmp_path):
    """An export of a sheet with claims, one list edited, and pairs of them with contexts."""
    store.execute("update graders set fingerprint = '' where name = 'rag-metrics'")
    [approved] = units.current(store, items.item_ids(store, labelled.id)[:1], "claim").values()
    units.approve(store, approved.id, store.value("select id from graders where name = 'Ana'"))
    tables.export(store, tmp_path / "out")
    return tmp_path / "out"


@pytest.fixture
def again(tmp_path):
    """Another database with the same answers, and nothing said of them."""
    with open_store(tmp_path / "again.db") as store:
        made = [made_item(n, m) for n in range(2) for m in ("atlas", "birch", "cobalt")]
        additions.add(store, "numbers", made, "n.csv", "0" * 64, {})
        yield store


def take(again, out, *more):
    return invoke(again.path, "grades", out / "unit_grades.csv", *more)


def test_lists_come_in_whole_with_their_edits_approvals_and_makers(store, out, again):
    taken = take(again, out, "--json")
    assert taken.exit_code == 0
    said = json.loads(taken.stdout)
    assert (said["grades"], said["lists"]["lists"], said["lists"]["items"]) == (18, 7, 3)
    assert said["lists"]["makers"] == {"rag-metrics": 3, "a rule": 3, "Ana": 1}
    for held in (LISTS, HELD):
        assert list(map(tuple, again.rows(held))) == list(map(tuple, store.rows(held)))
    assert len(again.rows("select 1 from decomposition_approvals")) == 1
    assert (
        len(
            again.rows(
                "select 1 from decompositions where supersedes is not null and kind = 'claim'"
            )
        )
        == 1
    )
    twice = take(again, out)
    assert twice.stdout == "numbers: nothing changed; everything in it is already stored.\n"


def test_lists_that_stay_after_their_grades_are_undone_are_named_before(out, again):
    take(again, out)
    sheet = sheets.chosen(again, "numbers")
    number = again.value("select max(id) from imports where kind = 'grades'")
    going = import_undo.preview(again, sheet, number)
    assert f"although grades on them leave: {going.lists_kept} lists of units." in going.warning()
    before = list(map(tuple, again.rows(LISTS)))
    import_undo.undo(again, sheet, number)
    assert going.lists_kept and list(map(tuple, again.rows(LISTS))) == before
    assert take(again, out).exit_code == 0


def test_an_answer_that_has_a_list_keeps_it_and_so_does_one_of_other_content(out, again):
    first = items.item_ids(again, 1)[0]
    units.keep(again, first, "claim", [Cell("B.", 0), Cell("A.", 1)], None)
    again.execute("update items set content_hash = 'other' where own_id = '000-birch'")
    taken = take(again, out, "--partial", "--json")
    assert json.loads(taken.stdout)["lists"]["items"] == 1
    assert [unit.text for unit in units.current(again, [first], "claim")[first].units] == [
        "B.",
        "A.",
    ]
    texts = {row["own_id"] for row in again.rows(LISTS)}
    assert len(texts) == 2


def test_verdicts_that_are_refused_leave_no_lists_behind(out, again):
    with (out / "unit_grades.csv").open("a", encoding="utf-8", newline="") as file:
        csv.writer(file).writerow(["odd"])
    taken = take(again, out)
    assert taken.exit_code == 2 and "nothing was imported" in taken.stderr
    assert again.value("select count(*) from decompositions") == 0


def test_a_damaged_list_is_named_and_a_file_elsewhere_brings_none(out, again, tmp_path):
    (out / "units.parquet").write_bytes(b"no table")
    taken = take(again, out)
    assert taken.exit_code == 2 and "units.parquet cannot be read" in taken.stderr
    (tmp_path / "unit_grades.csv").write_bytes((out / "unit_grades.csv").read_bytes())
    alone = take(again, tmp_path)
    assert alone.exit_code == 2 and "has not been split" in alone.stderr


@pytest.mark.parametrize(("ranges", "lines"), [(4, " (lines 2, 4, 6, 8)"), (9, "")])
def test_refused_rows_in_many_ranges_are_named_once(ranges, lines):
    rows = [2 * n + 1 for n in range(ranges)]
    bad = [BadRow(row, row + 1, "unit", "There is none.") for row in rows]
    named = ", ".join(map(str, rows))
    if ranges > 5:
        named = f"1, 3, 5, 7, 9 and {ranges - 5} more ({ranges} rows)"
    assert list(faults(bad)) == [f"Rows {named}{lines}, column “unit”: There is none."]
